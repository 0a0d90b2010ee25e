// Command service is the agent service: it keeps chats in a SQLite file or a PostgreSQL database,
// asks a model, and serves the API that openapi.yaml of package httpapi describes. It needs no
// settings; run it with -h for a list of them.
package main

import (
	"os"

	"github.com/chatsdk/chatsdk/service/internal/cli"
)

func main() {
	os.Exit(cli.Run(os.Args[1:], os.LookupEnv, os.Stdin, os.Stdout, os.Stderr))
}
