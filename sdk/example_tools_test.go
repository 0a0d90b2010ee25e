package sdk_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// agentStandIn is a service whose agent reads a sensor before it answers.
func agentStandIn() http.Handler {
	call := func(status string) string {
		return `{"id":"t1","chat_id":"c1","message_id":"m2","name":"read_sensor","kind":"page","arguments":"{\"room\":\"kitchen\"}","status":"` + status + `"}`
	}
	tell := func(status string) written { return written{event: wire.EventToolCall, data: call(status)} }
	events := numbered(
		start(), tell(wire.CallApproved), tell(wire.CallRunning), tell(wire.CallDone),
		chunk("It is 21 °C there."), complete("It is 21 °C there."), end(),
	)
	mux := http.NewServeMux()
	for path, body := range map[string]string{
		"POST /v3/chat/message":      stream(events[:2]...),
		"POST /tool-calls/t1/claim":  `{"call":` + call(wire.CallRunning) + `}`,
		"POST /tool-calls/t1/result": `{"call":` + call(wire.CallDone) + `}`,
		"GET /tool-calls":            `{"tool_calls":[` + call(wire.CallDone) + `]}`,
		"GET /v3/chat/stream/s1":     stream(events[2:]...),
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			if strings.HasPrefix(body, "id:") {
				w.Header().Set("Content-Type", "text/event-stream")
			}
			fmt.Fprint(w, body)
		})
	}
	return mux
}

// A tool of the program, which the agent calls. If sdk.Tool.Approval is not wire.ApprovalNever, a call
// first waits for Client.ApproveToolCall.
func Example_tools() {
	server := httptest.NewServer(agentStandIn())
	defer server.Close()
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: server.URL, ProjectID: "demo", AccessToken: "token",
		Tools: []sdk.Tool{{
			Name: "read_sensor", Description: "Reads the thermometer of a room.", Approval: wire.ApprovalNever,
			Parameters: wire.JSON(`{"type":"object","properties":{"room":{"type":"string"}},"required":["room"]}`),
			Run: func(_ context.Context, arguments wire.JSON, _ string) (string, error) {
				var asked struct{ Room string }
				err := json.Unmarshal(arguments, &asked)
				return "21 °C in the " + asked.Room, err
			},
		}},
	})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.Stream(context.Background(), "Is the kitchen warm?", sdk.SendMessageOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case wire.EventToolCall:
			fmt.Println(event.ToolCall.Name, event.ToolCall.Status)
		case wire.EventChunk:
			fmt.Println(event.Text)
		}
	}
	// Output:
	// read_sensor approved
	// read_sensor running
	// read_sensor done
	// It is 21 °C there.
}
