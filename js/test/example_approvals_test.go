package test_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// withRefunds starts the call receiver of examples/18-tools, and a service whose agent has its
// tools.
func withRefunds(t *testing.T) *test.Service {
	t.Helper()
	const secret = "secret-of-the-example"
	agents, err := os.ReadFile(suite.File("examples/18-tools/agents.yaml"))
	require.NoError(t, err)
	file := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(file, []byte(strings.Replace(string(agents), "http://127.0.0.1:8081", tooltest.Refunds(t, secret), 1)), 0o600))
	return suite.Service(t, "AGENTS="+file, "REFUND_SECRET="+secret)
}

func TestToolsExample(t *testing.T) {
	t.Parallel()
	service := withRefunds(t)
	p := suite.Page(t, service.URL+"/examples/18-tools/", find)
	card := func(n int, status string) {
		t.Helper()
		p.Until(`all(".call")[$1]?.dataset.status === $2`, n, status)
	}
	p.Click("#form button")
	card(0, "awaiting")
	card(1, "awaiting")
	require.Equal(t, []string{"Pays an order back to its buyer.", "orderAB-1234amount12.5"}, test.Eval[[]string](p, `
		const [{ children: [description, table] }] = all(".call");
		return [description.textContent, table.textContent];`))
	require.Empty(t, test.Eval[string](p, `return find("#receipts").textContent`), "nothing happens unasked")
	p.Click(".call:nth-of-type(2) button") // the receipt
	card(1, "done")
	p.Until(`find("#receipts").textContent === "12.50 back for order AB-1234"`)
	p.Click(".call:nth-of-type(1) button") // the refund
	card(0, "done")
	p.Until(`find("#log").textContent.includes("> Paid 12.50 back for order AB-1234, refund 1.")`)
	whole := `find("#log").ariaBusy === "false"` // before that the button moves
	p.Until(whole)

	p.Do(`find("textarea").value = $1`, `/refund {"order": "AB-1234", "amount": 501}`)
	p.Click("#form button")
	p.Until(`find("#log").textContent.includes("refund could not be called")`)
	p.Until(whole)
	p.Do(`find("textarea").value = $1`, `/refund {"order": "CD-5678", "amount": 1}`)
	p.Click("#form button")
	card(2, "awaiting")
	p.Click(".call:nth-of-type(3) button:nth-of-type(2)") // Deny
	card(2, "denied")
	p.Until(`find("#log").textContent.includes("refund was denied")`)
}
