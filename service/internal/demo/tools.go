package demo

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/clock"
	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// maxTickets is how many calls the demo's ticket desk remembers.
const maxTickets = 1000

// AddTools gives the demo's agent a tool of each kind that needs no page, unless AGENTS is
// set. The tools are served on 127.0.0.1 until end is called, after the agent's last call.
func AddTools(s *config.Settings, agents []answering.Agent, log *slog.Logger) (end func(), err error) {
	if !s.Demo || s.AgentsFile != "" {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("DEMO: %w", err)
	}
	secret := rand.Text()
	set, err := newTools("http://"+listener.Addr().String(), secret, log)
	if err != nil {
		_ = listener.Close()
		return nil, fmt.Errorf("DEMO: %w", err)
	}
	agents[0].Tools = set
	server := httpapi.NewServer(serveTools(secret))
	server.ErrorLog = slog.NewLogLogger(log.Handler(), slog.LevelWarn)
	var serving sync.WaitGroup
	serving.Go(func() { _ = server.Serve(listener) })
	return func() {
		_ = server.Close()
		serving.Wait()
	}, nil
}

// newTools returns the demo's tools, which are served at an address. The address is not part
// of their definitions: a call that waits survives a restart, with another port.
func newTools(address, secret string, log *slog.Logger) (*tool.Set, error) {
	desk, err := tool.NewHTTP(address+"/tickets", secret, clock.Now, log)
	if err != nil {
		return nil, err
	}
	ticket, err := tool.New(tool.Definition{
		Kind: wire.ToolHTTP, Name: "create_ticket", Address: "demo:/tickets",
		Description: "Opens a ticket with the support team of the demo's shop.",
		Parameters: wire.JSON(`{"type":"object","properties":{` +
			`"title":{"type":"string","minLength":1,"maxLength":80,"description":"What it is about, in a few words"},` +
			`"priority":{"enum":["low","normal","high"],"default":"normal"}},"required":["title"],"additionalProperties":false}`),
		Approval: wire.ApprovalUser, Idempotent: true,
	}, desk)
	if err != nil {
		return nil, err
	}
	shop, err := tool.NewServer(tool.ServerConfig{
		URL: address + "/mcp", Token: secret, Prefix: "shop", Traits: tool.Traits{Approval: wire.ApprovalNever, Idempotent: true}, Log: log,
	})
	if err != nil {
		return nil, err
	}
	return tool.NewSet([]*tool.Tool{ticket}, []*tool.Server{shop}, tool.PageToolsAny)
}

// serveTools serves the demo's tools.
func serveTools(secret string) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("POST /tickets", &ticketDesk{secret: secret, numbers: map[string]int{}})
	shop := newShop()
	handler := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return shop }, &mcp.StreamableHTTPOptions{Stateless: true})
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+secret)) == 0 {
			http.Error(w, "the token is missing or wrong", http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return mux
}

// ticketDesk opens tickets, one for each call however often the call arrives.
type ticketDesk struct {
	secret string

	mu      sync.Mutex
	numbers map[string]int // by the ids of calls
}

// ServeHTTP implements http.Handler.
func (d *ticketDesk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, tool.ArgumentBytes))
	if err != nil {
		http.Error(w, "the body cannot be read", http.StatusBadRequest)
		return
	}
	if err := tool.Verify(r, body, d.secret, clock.Now()); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	asked := struct {
		Title    string `json:"title"`
		Priority string `json:"priority"`
	}{Priority: "normal"}
	if err := json.Unmarshal(body, &asked); err != nil {
		http.Error(w, "the body is not a ticket", http.StatusBadRequest)
		return
	}
	number, ok := d.number(r.Header.Get("Idempotency-Key"))
	if !ok {
		http.Error(w, "the desk is closed for today; start the demo again", http.StatusServiceUnavailable)
		return
	}
	ticket, err := json.Marshal(map[string]string{"ticket": fmt.Sprint("T-", number), "title": asked.Title, "priority": asked.Priority})
	if err != nil {
		http.Error(w, "the ticket cannot be written", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(ticket)
}

// number returns the ticket's number, the same for the same call.
func (d *ticketDesk) number(callID string) (int, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if number, known := d.numbers[callID]; known {
		return number, true
	}
	if len(d.numbers) == maxTickets {
		return 0, false
	}
	d.numbers[callID] = 1001 + len(d.numbers)
	return d.numbers[callID], true
}

// newShop returns the demo's MCP server, which knows about orders.
func newShop() *mcp.Server {
	orders := map[string]string{
		"AB-1234": "Order AB-1234, two mugs: sent on Monday, arrives on Thursday.",
		"CD-5678": "Order CD-5678, a lamp: waits for its payment.",
	}
	server := mcp.NewServer(&mcp.Implementation{Name: "demo-shop", Version: "1"}, nil)
	type lookup struct {
		Order string `json:"order" jsonschema:"the number of the order, such as AB-1234"`
	}
	mcp.AddTool(server, &mcp.Tool{Name: "lookup_order", Description: "Tells where an order of the demo's shop is."},
		func(_ context.Context, _ *mcp.CallToolRequest, asked lookup) (*mcp.CallToolResult, any, error) {
			state, known := orders[asked.Order]
			if !known {
				return nil, nil, fmt.Errorf("there is no such order; try AB-1234 or CD-5678")
			}
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: state}}}, nil, nil
		})
	return server
}
