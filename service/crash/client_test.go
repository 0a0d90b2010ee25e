package crash_test

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// client sends requests to one process.
type client struct {
	t    *testing.T
	http *http.Client
	url  string
	// happens is called with each event that the client notices.
	happens func(event)
	// over reports whether the process was killed, after which errors are expected.
	over func() bool
}

// newClient returns a client for a process that is not killed while the client is used.
func newClient(t *testing.T, p *witness.Process) *client {
	return &client{
		t: t, http: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 32}}, url: "http://" + p.Address,
		happens: func(event) {}, over: func() bool { return false },
	}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// request is one request, as the administrator or as a user.
type request struct {
	method, path string
	userID       string
	contentType  string
	header       map[string]string // in addition to the usual ones
	body         []byte
	// sent is called when the whole request has been written.
	sent func()
}

// do sends a request. Status 0 means that no complete response arrived.
func (c *client) do(r request) (status int, body []byte) {
	trace := &httptrace.ClientTrace{WroteRequest: func(info httptrace.WroteRequestInfo) {
		if info.Err == nil && r.sent != nil {
			r.sent()
		}
	}}
	ctx := httptrace.WithClientTrace(c.t.Context(), trace)
	req, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		c.t.Error(err)
		return 0, nil
	}
	req.Header = http.Header{"X-Api-Key": {witness.APIKey}, "X-Api-Secret": {witness.APISecret}}
	if r.userID != "" {
		req.Header.Set("X-User-Id", r.userID)
	}
	if r.contentType != "" {
		req.Header.Set("Content-Type", r.contentType)
	}
	for name, value := range r.header {
		req.Header.Set(name, value)
	}
	response, err := c.http.Do(req)
	if err != nil {
		c.broken(r, err)
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = io.ReadAll(response.Body); err != nil {
		c.broken(r, err)
		return 0, nil
	}
	return response.StatusCode, body
}

func (c *client) broken(r request, err error) {
	if !c.over() {
		c.t.Errorf("%s %s: %v", r.method, r.path, err)
	}
}

// decode sends a request and decodes the response, which must have status 200. A missing response is
// not a failure.
func decode[T any](c *client, r request) (value T, answered bool) {
	status, body := c.do(r)
	if status == 0 {
		return value, false
	}
	if status != http.StatusOK {
		c.t.Errorf("%s %s: %d %s", r.method, r.path, status, body)
		return value, false
	}
	return parse[T](c.t, body), true
}

func parse[T any](t *testing.T, body []byte) (value T) {
	if err := json.Unmarshal(body, &value); err != nil {
		t.Errorf("a response is not JSON: %v: %s", err, body)
	}
	return value
}

// must is decode, but requires a response.
func must[T any](c *client, r request) T {
	c.t.Helper()
	value, answered := decode[T](c, r)
	require.True(c.t, answered, "%s %s", r.method, r.path)
	return value
}

func get(path string) request { return request{method: http.MethodGet, path: path} }

func post(userID, path string, body any) request {
	text, _ := json.Marshal(body) // structs of package wire always encode
	return request{method: http.MethodPost, path: path, userID: userID, contentType: "application/json", body: text}
}

func sending(m *message) request {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	for _, field := range [][2]string{
		{wire.FieldMessage, m.text}, {wire.FieldProjectID, "demo"}, {wire.FieldChatID, m.chatID}, {wire.FieldAgentID, agentID},
	} {
		_ = w.WriteField(field[0], field[1]) // writing to a buffer never fails
	}
	_ = w.Close()
	return request{
		method: http.MethodPost, path: "/v3/chat/message", userID: m.userID, contentType: w.FormDataContentType(), body: text.Bytes(),
	}
}
