package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/apitest"
)

// checked returns the address of a proxy that checks the traffic against openapi.yaml.
func checked(t *testing.T, target string) string {
	t.Helper()
	to, err := url.Parse(target)
	require.NoError(t, err)
	proxy := apitest.Handler(t, &httputil.ReverseProxy{
		Rewrite:       func(r *httputil.ProxyRequest) { r.SetURL(to) },
		FlushInterval: -1,
		ErrorLog:      log.New(io.Discard, "", 0),
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex() // else the body of a refused form ends the exchange
		proxy.ServeHTTP(w, r)
	}))
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	return server.URL
}

// reply is an answer of the service.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// do sends a request as the user ann.
func (p *process) do(method, path string, header http.Header, body string) reply {
	p.t.Helper()
	response := p.open(method, path, header, strings.NewReader(body))
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	require.NoError(p.t, err)
	return reply{response.StatusCode, response.Header, text}
}

func (p *process) open(method, path string, header http.Header, body io.Reader) *http.Response {
	p.t.Helper()
	request, err := http.NewRequestWithContext(p.t.Context(), method, p.url+path, body)
	require.NoError(p.t, err)
	request.Header = http.Header{"X-Api-Key": {apiKey}, "X-Api-Secret": {apiSecret}, "X-User-Id": {ann}}
	for name, values := range header { // nil removes a header
		request.Header[name] = values
	}
	response, err := http.DefaultClient.Do(request)
	require.NoError(p.t, err)
	return response
}

func asJSON() http.Header { return http.Header{"Content-Type": {"application/json"}} }

// form encodes a message with its options; project_id is demo if fields don't set it.
func form(message string, fields ...string) (header http.Header, body string) {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	fields = append(fields, wire.FieldMessage, message)
	if !slices.Contains(fields, wire.FieldProjectID) {
		fields = append(fields, wire.FieldProjectID, "demo")
	}
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1]) // to a buffer
	}
	_ = w.Close()
	return http.Header{"Content-Type": {w.FormDataContentType()}}, text.String()
}

// send sends a message and waits for the whole answer.
func (p *process) send(message string, fields ...string) reply {
	p.t.Helper()
	header, body := form(message, fields...)
	return p.do(http.MethodPost, "/v3/chat/message", header, body)
}

// ask sends a message that is answered.
func (p *process) ask(message string, fields ...string) wire.SendMessageResponse {
	p.t.Helper()
	return decode[wire.SendMessageResponse](p.t, p.send(message, fields...), http.StatusOK)
}

// stream sends a message and reads the answer as a stream.
func (p *process) stream(message string, fields ...string) *stream {
	p.t.Helper()
	header, body := form(message, fields...)
	header.Set("Accept", "text/event-stream")
	response := p.open(http.MethodPost, "/v3/chat/message", header, strings.NewReader(body))
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	p.t.Cleanup(func() { _ = response.Body.Close() })
	s := &stream{t: p.t, body: response.Body, lines: bufio.NewReader(response.Body)}
	require.NoError(p.t, json.Unmarshal(s.until(wire.EventStart), &s.start))
	return s
}

// history is a chat with its messages.
func (p *process) history(chatID string) wire.ChatHistoryResponse {
	p.t.Helper()
	return decode[wire.ChatHistoryResponse](p.t, p.do(http.MethodGet, "/project/demo/chat/"+chatID+"/all", nil, ""), http.StatusOK)
}

// chats are the chats of ann.
func (p *process) chats() []wire.Chat {
	p.t.Helper()
	return decode[wire.ListChatsResponse](p.t, p.do(http.MethodGet, "/project/demo/chat", nil, ""), http.StatusOK).Chats
}

// requireError requires an error with a status and a code.
func requireError(t *testing.T, r reply, status int, code string) {
	t.Helper()
	require.Equal(t, code, decode[wire.ErrorBody](t, r, status).Error.Code)
}

func decode[T any](t *testing.T, r reply, status int) (value T) {
	t.Helper()
	require.Equal(t, status, r.status, "%s", r.body)
	require.NoError(t, json.Unmarshal(r.body, &value))
	return value
}

// stream is an answer that is being read.
type stream struct {
	t     *testing.T
	body  io.Closer
	lines *bufio.Reader
	start wire.Start
	text  string
	// comments are the heartbeats so far.
	comments int
}

// until reads up to an event of this name and returns its data.
func (s *stream) until(name string) []byte {
	s.t.Helper()
	for last := ""; ; {
		line, err := s.lines.ReadString('\n')
		require.NoError(s.t, err, "before %s", name)
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch {
		case field == ":":
			s.comments++
			continue
		case field == "event":
			last = value
		case field != "data":
			continue
		case last == wire.EventChunk:
			var chunk wire.Text
			require.NoError(s.t, json.Unmarshal([]byte(value), &chunk))
			s.text += chunk.Text
		}
		if field == "data" && last == name {
			return []byte(value)
		}
	}
}

// untilText reads until this is the text of the answer.
func (s *stream) untilText(text string) {
	s.t.Helper()
	for s.text != text {
		s.until(wire.EventChunk)
	}
}

// complete reads to the end of an answer that ends well.
func (s *stream) complete() wire.Complete {
	s.t.Helper()
	var complete wire.Complete
	require.NoError(s.t, json.Unmarshal(s.until(wire.EventComplete), &complete))
	s.until(wire.EventEnd)
	return complete
}

// failure reads to the end of a failed answer, and returns the code.
func (s *stream) failure() string {
	s.t.Helper()
	var body wire.ErrorBody
	require.NoError(s.t, json.Unmarshal(s.until(wire.EventError), &body))
	s.until(wire.EventEnd)
	return body.Error.Code
}
