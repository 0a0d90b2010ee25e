package tooltest

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Refunds runs the receiver of calls of examples/18-tools until t ends, and gives its address,
// http://HOST:PORT.
func Refunds(t *testing.T, secret string) (address string) {
	t.Helper()
	folder := t.TempDir()
	program := filepath.Join(folder, "refunds")
	output, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, "github.com/chatsdk/chatsdk/examples/18-tools").CombinedOutput()
	require.NoError(t, err, "%s", output)
	receiver := exec.Command(program)
	receiver.Env = []string{"HOME=" + folder, "ADDR=127.0.0.1:0", "REFUND_SECRET=" + secret}
	stdout, err := receiver.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, receiver.Start())
	t.Cleanup(func() {
		_ = receiver.Process.Kill()
		_ = receiver.Wait()
	})
	line, err := bufio.NewReader(stdout).ReadString('\n')
	require.NoError(t, err)
	return strings.TrimSpace(strings.TrimPrefix(line, "listening on "))
}
