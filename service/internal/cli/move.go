package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/config"
)

const moveUsage = `service move-data [flags]

Copies everything in the folder DATA into the PostgreSQL database DATABASE_URL, which must be empty: chats, answers,
memories, documents, keys of requests, and pending work. It copies all or nothing, and leaves the folder as it
is. No service may run on either. The flags are those of the service, see service -h; only DATA has an effect.
`

// moveData is the subcommand move-data.
func moveData(c invocation) error {
	if len(c.args) == 1 && (c.args[0] == "-h" || c.args[0] == "-help" || c.args[0] == "--help") {
		_, err := io.WriteString(c.stdout, moveUsage)
		return err
	}
	url, _ := c.env("DATABASE_URL")
	s, rest, err := config.Parse(0, c.args, func(name string) (string, bool) {
		if name == "DATABASE_URL" {
			return "", false
		}
		return c.env(name)
	})
	switch {
	case errors.Is(err, flag.ErrHelp):
		writeHelp(c.stdout)
		return err
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("argument %q, want none; see move-data -h", rest[0])
	case url == "":
		return errors.New("DATABASE_URL is not set; it names the database to copy to")
	}
	return app.Move(untilSignal(), s, url, c.stdout)
}
