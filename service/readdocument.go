package main

import "github.com/chatsdk/chatsdk/service/internal/knowledge/read"

// readDocument is the child process in which the service reads documents. It is
// not for people, and stands in no list.
var readDocument = subcommand{
	read.Subcommand, "read documents for the service that starts this process",
	`{"name", "bytes", "time", "memory"}, and a file of so many bytes`, `{"document"} or {"refusal"}`, read.Serve,
}
