package cli

import (
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/importer"
)

const importUsage = `service import [flags] FOLDER

Puts the files of a folder and its subfolders into the project's documents: plain text, Markdown, HTML and PDF. Files
whose names begin with a dot are skipped. A file that has not changed since it was imported is not imported again, and one
that has changed replaces its document once the service has read it. A service that runs on DATA is asked to do it; else DATA
itself is opened, or the database of DATABASE_URL. The flags are those of the service, see service -h.
`

// importFolder is the subcommand import.
func importFolder(c invocation) error {
	if asked, err := c.asksFor(importUsage); asked {
		return err
	}
	ctx := untilSignal()
	s, rest, err := c.settings(0, c.env)
	switch {
	case err != nil:
		return err
	case len(rest) != 1:
		return fmt.Errorf("%d arguments, want one FOLDER; see import -h", len(rest))
	}
	files, err := importer.Folder(rest[0])
	if err != nil {
		return err
	}
	return app.OnService(ctx, s, c.env, c.stderr, func(address string) error {
		missing, err := app.Import(ctx, s, address, files, c.stdout)
		if err == nil && missing > 0 {
			err = fmt.Errorf("%d files were not imported, see above", missing)
		}
		return err
	})
}
