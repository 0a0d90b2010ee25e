package cli

import (
	"errors"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/app"
)

const moveUsage = `service move-data [flags]

Copies everything in the folder DATA into the PostgreSQL database DATABASE_URL, which must be empty: chats, answers,
memories, documents, keys of requests, and pending work. It copies all or nothing, and leaves the folder as it
is. No service may run on either. The flags are those of the service, see service -h; only DATA has an effect.
`

// moveData is the subcommand move-data.
func moveData(c invocation) error {
	if asked, err := c.asksFor(moveUsage); asked {
		return err
	}
	url, _ := c.env("DATABASE_URL")
	s, rest, err := c.settings(0, func(name string) (string, bool) {
		if name == "DATABASE_URL" {
			return "", false
		}
		return c.env(name)
	})
	switch {
	case err != nil:
		return err
	case len(rest) > 0:
		return fmt.Errorf("argument %q, want none; see move-data -h", rest[0])
	case url == "":
		return errors.New("DATABASE_URL is not set; it names the database to copy to")
	}
	return app.Move(untilSignal(), s, url, c.stdout)
}
