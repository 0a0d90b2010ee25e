//go:build unix

package tools_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/tooltest"
)

// offered is a tool that the model may call.
type offered struct {
	kind, name, approval string
	idempotent           bool
}

// tools are all tools that the model may call.
var tools = []offered{
	{wire.ToolHTTP, "pay", wire.ApprovalUser, false},
	{wire.ToolHTTP, "note", wire.ApprovalUser, true},
	{wire.ToolHTTP, "look", wire.ApprovalNever, false},
	{wire.ToolHTTP, "grant", wire.ApprovalAdmin, false},
	{wire.ToolMCP, "shop_book", wire.ApprovalUser, false},
	{wire.ToolPage, "page_pay", wire.ApprovalUser, false},
	{wire.ToolPage, "page_note", wire.ApprovalUser, true},
	{wire.ToolPage, "page_look", wire.ApprovalNever, false},
}

func toolNamed(name string) offered {
	for _, one := range tools {
		if one.name == name {
			return one
		}
	}
	return offered{}
}

// agents returns an agents file whose tools are at an address.
func agents(address string) string {
	text := "agents:\n  - id: keeper\n    window: 200000\n    tools:\n"
	for _, one := range tools {
		switch one.kind {
		case wire.ToolHTTP:
			text += fmt.Sprintf("      - {kind: http, name: %s, url: %q, secret_env: TOOL_SECRET, description: Does %s., parameters: %s, approval: %s, idempotent: %t, timeout: 2s}\n",
				one.name, address+"/http/"+one.name, one.name, tooltest.Parameters, one.approval, one.idempotent)
		case wire.ToolMCP:
			text += fmt.Sprintf("      - {kind: mcp, url: %q, prefix: shop, approval: %s, timeout: 2s}\n", address+"/mcp", one.approval)
		}
	}
	return text
}

// claimSeconds is how long a page that has claimed a call may be silent.
const claimSeconds = 3

// pageTools returns the tools that a page offers, as JSON.
func pageTools() string {
	all := map[string]wire.PageTool{}
	for _, one := range tools {
		if one.kind == wire.ToolPage {
			all[one.name] = definition(one)
		}
	}
	text, _ := json.Marshal(all) // it always encodes
	return string(text)
}

func definition(one offered) wire.PageTool {
	return wire.PageTool{
		Description: "Does " + one.name + ".", Parameters: wire.JSON(tooltest.Parameters), Approval: one.approval, Idempotent: one.idempotent, Timeout: claimSeconds,
	}
}

// doings are the instructions to tools. One that is listed more often is drawn more often.
var doings = []string{
	tooltest.DoAnswer, tooltest.DoAnswer, tooltest.DoAnswer, tooltest.DoAnswer, tooltest.DoAnswer, tooltest.DoSlowly, tooltest.DoSlowly, tooltest.DoSlowly,
	tooltest.DoSlowly, tooltest.DoSlowly, tooltest.DoRefuse, tooltest.DoCut, tooltest.DoHang, tooltest.DoMuch, tooltest.DoInstruct, tooltest.DoRedirect,
}

// arguments returns arguments that no other call has.
func (w *world) arguments(random *rand.Rand) string {
	return tooltest.Do(doings[random.IntN(len(doings))], int(w.number.Add(1)))
}

// script draws what the model does in an answer: calls in one to three rounds, and a final text.
func (w *world) script(random *rand.Rand) tooltest.Script {
	s := tooltest.Script{ID: fmt.Sprint("q", w.number.Add(1))}
	for round := range 1 + random.IntN(3) {
		one := tooltest.Round{}
		if random.IntN(2) == 0 {
			one.Text = fmt.Sprintf("Round %d of %s begins 🙂. ", round, s.ID)
		}
		for range 1 + random.IntN(3) {
			one.Calls = append(one.Calls, tooltest.Call{Name: tools[random.IntN(len(tools))].name, Arguments: w.arguments(random)})
		}
		s.Rounds = append(s.Rounds, one)
	}
	s.Rounds = append(s.Rounds, tooltest.Round{Text: "That is all of " + s.ID + "."})
	return s
}
