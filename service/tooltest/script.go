// Package tooltest has what tests of tools need outside the service: a model that does what a
// question tells it to (Model), tools that count who calls them (Tools), over HTTP and as an MCP
// server, and the example's receiver of calls (Refunds). All listen on 127.0.0.1 alone. It is
// for tests, and no part of the service.
package tooltest

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Script is what a Model is to do in an answer, round after round. It stands in the question.
type Script struct {
	// ID tells questions apart.
	ID     string  `json:"id"`
	Rounds []Round `json:"rounds"`
}

// Round is what the model says, and then calls, when it is asked once.
type Round struct {
	Text  string `json:"text,omitempty"`
	Calls []Call `json:"calls,omitempty"`
}

// Call is a tool call. Arguments are sent as they stand, JSON or not.
type Call struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Question is the message that has a Model follow the script.
func (s Script) Question() string {
	text, err := json.Marshal(s)
	if err != nil { // texts alone cannot fail
		panic(fmt.Sprintf("tooltest: script: %v", err))
	}
	return string(text)
}

// ProviderID is the id that a Model gives to a call: the n-th of a round, both from 0.
func (s Script) ProviderID(round, n int) string { return fmt.Sprintf("p%s_%d_%d", s.ID, round, n) }

// scriptOf reads the script of a question. It is a line of its own; the service may tell other things beside it.
func scriptOf(question string) (s Script, ok bool) {
	for line := range strings.Lines(question) {
		var one Script
		if json.Unmarshal([]byte(line), &one) == nil && one.ID != "" {
			s, ok = one, true
		}
	}
	return s, ok
}

// What a tool of Tools does, where its arguments say so: {"do": …}.
const (
	DoAnswer   = "answer"   // at once
	DoSlowly   = "slowly"   // after a while
	DoRefuse   = "refuse"   // with an error
	DoCut      = "cut"      // the connection breaks in the middle of the answer
	DoHang     = "hang"     // nothing, until the caller has had enough
	DoMuch     = "much"     // more than is kept of a result
	DoInstruct = "instruct" // what looks like instructions, and like another call
	DoRedirect = "redirect" // to another address
)

// Do are arguments for a tool of Tools: n tells calls apart.
func Do(what string, n int) string { return fmt.Sprintf(`{"do": %q, "n": %d}`, what, n) }

// Parameters are the schema of such arguments.
const Parameters = `{"type": "object", "properties": {"do": {"type": "string"}, "n": {"type": "integer"}}, "required": ["do", "n"], "additionalProperties": false}`
