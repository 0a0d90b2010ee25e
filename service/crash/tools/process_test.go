//go:build unix

package tools_test

import "github.com/chatsdk/chatsdk/service/crash/witness"

// start starts the service on SQLite with the data in a folder. Interrupted tools and answers may be
// warnings in its log, but nothing worse.
func (w *world) start(folder string) *witness.Process {
	return witness.Start(w.t, binary, folder, w.env(), func(level, message, line string) {
		if level == "WARN" {
			w.ledger.Add("log: "+message, 1)
			return
		}
		w.ledger.Violation(odd, "the service logged: %s", line)
	})
}
