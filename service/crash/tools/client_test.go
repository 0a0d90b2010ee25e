//go:build unix

package tools_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	// tryTime bounds one try that is no stream.
	tryTime = 12 * time.Second
	// silence is how long a stream may say nothing, heartbeats included.
	silence = 5 * time.Second
	// again is the pause before another try.
	again = 30 * time.Millisecond
)

// client talks to whichever process serves. It makes a connection for each request.
type client struct {
	http        *http.Client
	address     func() string // http://HOST:PORT
	key, secret string
}

// request is one request, for a user or as the administrator.
type request struct {
	method, path, userID, key string
	contentType               string
	lastEvent                 int64
	stream                    bool
	body                      []byte
}

func (c *client) do(ctx context.Context, r request) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, r.method, c.address()+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"X-Api-Key": c.key, "X-Api-Secret": c.secret, "X-User-Id": r.userID, "Content-Type": r.contentType, wire.HeaderIdempotencyKey: r.key,
	} {
		if value != "" {
			req.Header.Set(name, value)
		}
	}
	if r.stream {
		req.Header.Set("Accept", "text/event-stream")
	}
	if r.lastEvent > 0 {
		req.Header.Set(wire.HeaderLastEventID, strconv.FormatInt(r.lastEvent, 10))
	}
	return c.http.Do(req)
}

// once gives the answer to one try; 0 is none.
func (c *client) once(ctx context.Context, r request) (status int, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	response, err := c.do(ctx, r)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = io.ReadAll(response.Body); err != nil {
		return 0, nil
	}
	return response.StatusCode, body
}

// tryAgain tells whether a status, or none, says that the same may succeed later. Whether it
// was done is not known then.
func tryAgain(status int) bool {
	return status == 0 || status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// until tries until there is an answer that is not for now alone; 0 is that ctx has ended.
func (c *client) until(ctx context.Context, r request) (status int, body []byte) {
	for {
		status, body = c.once(ctx, r)
		if !tryAgain(status) {
			return status, body
		}
		if !pause(ctx, again) {
			return 0, nil
		}
	}
}

// pause waits, and tells whether ctx goes on.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// event is one of a stream, as it came.
type event struct {
	id         int64
	kind, data string
}

// read reads a stream and calls hear with each event, until it ends or hear gives false. It
// gives the status; 0 is no answer.
func (c *client) read(ctx context.Context, r request, hear func(event) bool) (status int, refusal []byte) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	r.stream = true
	response, err := c.do(ctx, r)
	if err != nil {
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		refusal, _ = io.ReadAll(response.Body)
		return response.StatusCode, refusal
	}
	lines := bufio.NewReader(response.Body)
	for e := (event{}); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return http.StatusOK, nil
		}
		quiet.Reset(silence)
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.kind != "":
			if !hear(e) {
				return http.StatusOK, nil
			}
			e = event{}
		case name == "id":
			e.id, _ = strconv.ParseInt(value, 10, 64) // 0 is found out as a gap
		case name == "event":
			e.kind = value
		case name == "data":
			e.data = value
		}
	}
}

func get(userID, path string) request {
	return request{method: http.MethodGet, path: path, userID: userID}
}

func post(userID, path, key string, body any) request {
	text, _ := json.Marshal(body) // of package wire, which always is JSON
	return request{method: http.MethodPost, path: path, userID: userID, key: key, contentType: "application/json", body: text}
}

// sending is a question of somebody who knows calls, whose page has tools.
func sending(userID, chatID, question, key string) request {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	_ = w.SetBoundary("boundary") // the same request has the same bytes
	for _, field := range [][2]string{
		{wire.FieldMessage, question}, {wire.FieldProjectID, "demo"}, {wire.FieldChatID, chatID}, {wire.FieldToolCalls, "true"}, {wire.FieldPageTools, pageTools()},
	} {
		if field[1] != "" {
			_ = w.WriteField(field[0], field[1]) // a buffer takes everything
		}
	}
	_ = w.Close()
	return request{
		method: http.MethodPost, path: "/v3/chat/message", userID: userID, key: key, contentType: w.FormDataContentType(), body: text.Bytes(),
	}
}
