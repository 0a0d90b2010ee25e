package main_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

func (p *process) create(body string) reply {
	return p.do(http.MethodPost, "/chat/create", asJSON(), body)
}

// Every setting has its effect.
func TestTotalsOfAUserHaveLimits(t *testing.T) {
	t.Parallel()
	p := start(t, env{
		"CHATS_PER_USER": "2", "DOCUMENTS_PER_USER": "1", "DOCUMENT_BYTES_PER_USER": "10", "METADATA_BYTES": "10", "DOCUMENT_KEYS": "1", "USER_ID_BYTES": "50",
	})
	requireError(t, p.create(`{"project_id":"demo","metadata":{"a":"bcdef"}}`), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	requireError(t, p.create(`{"project_id":"demo","document_keys":["a","b"]}`), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	long := http.Header{"X-User-Id": {strings.Repeat("a", 51)}}
	requireError(t, p.do(http.MethodGet, "/project/demo/chat", long, ""), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
	for range 2 {
		require.Equal(t, http.StatusOK, p.create(`{"project_id":"demo"}`).status)
	}
	refused := p.create(`{"project_id":"demo"}`)
	requireError(t, refused, http.StatusTooManyRequests, wire.CodeQuotaExceeded)
	require.Equal(t, "3600", refused.header.Get("Retry-After"))
	requireError(t, p.send("Hi"), http.StatusTooManyRequests, wire.CodeQuotaExceeded)

	requireError(t, p.uploadMine("ten bytes and one"), http.StatusTooManyRequests, wire.CodeQuotaExceeded)
	require.Equal(t, http.StatusOK, p.uploadMine("few").status)
	requireError(t, p.uploadMine("1"), http.StatusTooManyRequests, wire.CodeQuotaExceeded)
}

// uploadMine uploads a text for the user ann.
func (p *process) uploadMine(content string) reply {
	header, body := form("unused")
	boundary := strings.SplitN(body, "\r\n", 2)[0]
	file := boundary + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n" + content + "\r\n"
	return p.do(http.MethodPost, "/v3/project/knowledge/add/file", header, file+body)
}

func TestRatesOfAUserHaveLimits(t *testing.T) {
	t.Parallel()
	p := start(t, env{"CHATS_PER_MINUTE": "1", "UPLOADS_PER_MINUTE": "1", "WRITES_PER_MINUTE": "1"})
	forget := func() reply { return p.do(http.MethodDelete, "/memories/none", nil, "") }
	require.Equal(t, http.StatusOK, p.create(`{"project_id":"demo"}`).status)
	require.Equal(t, http.StatusOK, p.uploadMine("few").status)
	require.Equal(t, http.StatusNotFound, forget().status)
	for _, refused := range []reply{p.create(`{"project_id":"demo"}`), p.uploadMine("few"), forget()} {
		requireError(t, refused, http.StatusTooManyRequests, wire.CodeRateLimited)
		require.Regexp(t, "^[1-6][0-9]$", refused.header.Get("Retry-After"))
	}
}

func TestMemoriesOfAUserHaveALimit(t *testing.T) {
	t.Parallel()
	p := startIn(t, writeAgents(t, remembering), env{"AGENTS": "agents.yaml", "SENDS_PER_MINUTE": "0", "MEMORIES_PER_USER": "1"})
	p.ask("I work at a hospital, and I own two cats.")
	p.asksUntilRemembered(func() wire.Message { return p.ask("Hi").Message })
	list := p.do(http.MethodGet, "/agents/a/memories/user/"+url.PathEscape(ann), nil, "")
	require.Equal(t, 1, strings.Count(string(list.body), `"memory_content"`), "%s", list.body)
}
