package main

import "io"

var (
	KeptCredentials = keptCredentials
	ReadSettings    = readSettings
	ShutDown        = shutDown
)

// Run runs the command with nothing in its environment.
func Run(args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	return run(invocation{args, func(string) (string, bool) { return "", false }, stdin, stdout, stderr})
}
