package sdk

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// MemoryCall is a row of the table of memory operations, from which package
// bridge makes the functions that a page gets: a function written for each of
// them costs a page about 2 KB more. Go programs call the methods of Client.
type MemoryCall struct {
	// Operation is the name of the method in JavaScript.
	Operation string
	// Arguments are the names in JavaScript of those that are texts: first the
	// ids in the path, then the filters.
	Arguments []string

	method, path string   // "*" is the next id
	filters      []string // the names in the query
	action       string   // of approveMemory and rejectMemory
	isList       bool     // the answer is an array
}

var (
	getMemorySettings    = &MemoryCall{Operation: "getMemorySettings", method: "GET", path: "/agents/*/memory-settings", Arguments: []string{"agentId"}}
	updateMemorySettings = &MemoryCall{Operation: "updateMemorySettings", method: "PUT", path: "/agents/*/memory-settings", Arguments: []string{"agentId"}}
	listMemories         = &MemoryCall{
		Operation: "listMemories", method: "GET", path: "/agents/*/memories",
		Arguments: []string{"agentId", "status", "type", "userId"}, filters: []string{"status", "type", "user_id"},
	}
	listUserMemories = &MemoryCall{
		Operation: "listUserMemories", method: "GET", path: "/agents/*/memories/user/*", isList: true,
		Arguments: []string{"agentId", "userId", "status", "type"}, filters: []string{"status", "type"},
	}
	listPendingMemories = &MemoryCall{
		Operation: "listPendingMemories", method: "GET", path: "/memory-approvals/pending",
		Arguments: []string{"agentId", "userId"}, filters: []string{"agent_id", "user_id"},
	}
	approveMemory = &MemoryCall{
		Operation: "approveMemory", method: "POST", path: "/memory-approvals/*/action", action: wire.ActionApprove, Arguments: []string{"memoryId"},
	}
	rejectMemory = &MemoryCall{
		Operation: "rejectMemory", method: "POST", path: "/memory-approvals/*/action", action: wire.ActionReject, Arguments: []string{"memoryId"},
	}
	deleteMemory       = &MemoryCall{Operation: "deleteMemory", method: "DELETE", path: "/memories/*", Arguments: []string{"memoryId"}}
	getMemoryStats     = &MemoryCall{Operation: "getMemoryStats", method: "GET", path: "/agents/*/memory-stats", Arguments: []string{"agentId"}}
	deleteUserMemories = &MemoryCall{
		Operation: "deleteUserMemories", method: "DELETE", path: "/agents/*/memories/user/*", Arguments: []string{"agentId", "userId"},
	}
)

// MemoryCalls are the rows of the table.
func MemoryCalls() []*MemoryCall {
	return []*MemoryCall{
		getMemorySettings, updateMemorySettings, listMemories, listUserMemories, listPendingMemories,
		approveMemory, rejectMemory, deleteMemory, getMemoryStats, deleteUserMemories,
	}
}

// TakesSettings tells whether the call is updateMemorySettings.
func (m *MemoryCall) TakesSettings() bool { return m == updateMemorySettings }

// Keyed tells whether the call takes an idempotency key: approveMemory and
// rejectMemory do.
func (m *MemoryCall) Keyed() bool { return m.action != "" }

// MemoryJSON makes a call with the values of its Arguments, in their order, and
// the idempotency key behind them where it is Keyed; an empty one of a filter,
// and an empty key, are unset. Settings are nil where it takes none.
func (c *Client) MemoryJSON(ctx context.Context, m *MemoryCall, settings *MemorySettings, values ...string) (wire.JSON, error) {
	var header map[string]string
	if m.Keyed() {
		var err error
		if header, err = keyed(m.Operation, values[len(m.Arguments)]); err != nil {
			return nil, err
		}
	}
	url, err := m.url(values)
	if err != nil {
		return nil, err
	}
	body, err := m.body(settings)
	if err != nil {
		return nil, err
	}
	want := jsontext.Object
	if m.isList {
		want = jsontext.Array
	}
	a, err := c.ask(ctx, m.Operation, &Request{Method: m.method, URL: url, Body: body, Header: header}, want)
	if err != nil {
		return nil, err
	}
	if m.action != "" && a.value.Get("memory").Kind() != jsontext.Object {
		return nil, a.unreadable("it has no memory")
	}
	return wire.JSON(a.value), nil
}

// url puts the values into the path and the query, or tells which is wrong.
func (m *MemoryCall) url(values []string) (string, error) {
	url, rest, _ := strings.Cut(m.path, "*")
	ids, separator := len(m.Arguments)-len(m.filters), "?"
	for i, field := range m.Arguments {
		if i >= ids && values[i] == "" {
			continue
		}
		if err := m.check(field, values[i]); err != nil {
			return "", err
		}
		value := escape(values[i])
		if i < ids {
			before, after, _ := strings.Cut(rest, "*")
			url, rest = url+value+before, after
		} else {
			url, separator = url+separator+m.filters[i-ids]+"="+value, "&"
		}
	}
	return url, nil
}

func (m *MemoryCall) body(settings *MemorySettings) ([]byte, error) {
	if m.action != "" {
		return encodeMemoryAction(wire.MemoryActionRequest{Action: m.action}), nil
	}
	if settings == nil {
		return nil, nil
	}
	if most := settings.MaxMemories; most != nil && (*most < 1 || *most > MaxMemories) {
		return nil, wrong(m.Operation, "maxMemories", fmt.Sprintf("is %d, want 1 to %d", *most, MaxMemories))
	}
	for _, name := range settings.MemoryTypes {
		if err := m.check("memoryTypes", name); err != nil {
			return nil, err
		}
	}
	return encodeMemorySettings(*settings), nil
}

var (
	memoryStatuses = []string{wire.MemoryPending, wire.MemoryApproved, wire.MemoryRejected}
	memoryTypes    = []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}
)

// check refuses ids that can be none, and what is not among the known values.
func (m *MemoryCall) check(field, value string) error {
	known, verb := memoryTypes, "is "
	switch field {
	case "status":
		known = memoryStatuses
	case "type":
	case "memoryTypes":
		verb = "holds "
	default:
		return checkID(m.Operation, field, value)
	}
	if slices.Contains(known, value) {
		return nil
	}
	return wrong(m.Operation, field, verb+strconv.Quote(value)+", want one of "+strings.Join(known, ", "))
}

// decoded reads an answer that came without error.
func decoded[T any](text wire.JSON, err error, decode func(jsontext.Value) T) (*T, error) {
	if err != nil {
		return nil, err
	}
	value := decode(jsontext.Value(text))
	return &value, nil
}
