package test

import (
	"bytes"
	"net/http"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// Bundle returns a module of the project, with everything that it imports, as one script. It uses
// the esbuild that builds dist/, with additional flags.
func (s *Suite) Bundle(t testing.TB, module string, flags ...string) []byte {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", append([]string{"tool", "esbuild", module, "--bundle", "--log-level=warning"}, flags...)...)
	command.Dir = s.Root
	var problems bytes.Buffer
	command.Stderr = &problems
	script, err := command.Output()
	require.NoError(t, err, problems.String())
	return script
}

// Script serves a script at a path.
func (o *Origin) Script(path string, script []byte) {
	o.Handle("GET "+path, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		_, _ = w.Write(script)
	})
}
