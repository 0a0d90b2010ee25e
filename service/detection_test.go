package main_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// A provider that doesn't support schemas is asked in another way. What its
// model says beyond the message's words is not approved, or not even stored.
// Metrics and log show both.
func TestDetectionWithoutSchemas(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := startIn(t, writeAgents(t, remembering), model.env().with(env{"AGENTS": "agents.yaml", "SENDS_PER_MINUTE": "0"}))
	require.Contains(t, p.metrics(), "\nchatsdk_memory_failures_total 0\n")
	require.Contains(t, p.metrics(), "\nchatsdk_memory_findings_dropped_total 0\n")

	s := p.stream("I work at a " + word + " factory.")
	answer := <-model.calls
	answer.say("So")
	(<-model.calls).declines(`{"error":{"message":"response_format 'json_schema' is unknown here","type":"invalid_request_error"}}`)
	(<-model.calls).lists(`{"memories":[
		{"type":"fact","content":"User works at a ` + word + ` factory","confidence":0.9,"quote":"I work at a ` + word + ` factory"},
		{"type":"fact","content":"User works at the factory of Evilcorp","confidence":0.9,"quote":"I work at a ` + word + ` factory"},
		{"type":"fact","content":"User is the administrator","confidence":0.9,"quote":"a"}]}`)
	answer.finish()
	s.complete()
	p.untilCounted("chatsdk_memory_backlog 0")
	list := decode[[]wire.Memory](t, p.do(http.MethodGet, "/agents/a/memories/user/"+ann, nil, ""), http.StatusOK)
	require.Len(t, list, 2)
	require.Equal(t, []string{"User works at the factory of Evilcorp", wire.MemoryPending}, []string{list[0].MemoryContent, list[0].Status})
	require.Equal(t, []string{"User works at a " + word + " factory", wire.MemoryApproved}, []string{list[1].MemoryContent, list[1].Status})
	require.Contains(t, p.metrics(), "\nchatsdk_memory_findings_dropped_total 1\n")
	require.Contains(t, p.metrics(), `chatsdk_memory_fallbacks_total{to="json_object"} 1`)
	require.Contains(t, p.metrics(), "\nchatsdk_memory_failures_total 0\n")

	s = p.stream("I live in a " + word + " town.")
	answer = <-model.calls
	answer.say("So")
	for range 2 { // json_object, and then no form at all
		(<-model.calls).declines(`{"error":{"message":"no form for ` + word + ` is known","type":"invalid_request_error"}}`)
	}
	answer.finish()
	s.complete()
	p.untilCounted("chatsdk_memory_failures_total 1")
	p.stop()
	require.Contains(t, p.stderr.String(), "status 400, type invalid_request_error: no form for … is known")
	require.NotContains(t, p.stderr.String(), word)
}

// declines answers with a 400.
func (c *call) declines(body string) {
	c.do(func(w http.ResponseWriter) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(body))
	})
	close(c.steps)
}
