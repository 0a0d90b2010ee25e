//go:build unix

package replicas_test

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
	"github.com/chatsdk/chatsdk/service/internal/cluster"
)

const (
	// patience is how long a client tries the same. It is longer than an answer waits
	// for the database.
	patience = 75 * time.Second
	// tryTime bounds one try that is no stream: its replica may sleep.
	tryTime = 12 * time.Second
	// silence is how long a stream may say nothing, heartbeats included.
	silence = 5 * time.Second
)

// client talks to the proxy. It makes a connection for each request.
type client struct {
	http *http.Client
	url  string
	// told is called with each status; 0 is no answer.
	told func(status int)
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
	req, err := http.NewRequestWithContext(ctx, r.method, c.url+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"X-Api-Key": cluster.APIKey, "X-Api-Secret": cluster.APISecret, "X-User-Id": r.userID,
		"Content-Type": r.contentType, wire.HeaderIdempotencyKey: r.key,
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
func (c *client) once(ctx context.Context, r request) (status int, body []byte, header http.Header) {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	response, err := c.do(ctx, r)
	if err != nil {
		c.told(0)
		return 0, nil, nil
	}
	defer func() { _ = response.Body.Close() }()
	if body, err = io.ReadAll(response.Body); err != nil {
		c.told(0)
		return 0, nil, nil
	}
	c.told(response.StatusCode)
	return response.StatusCode, body, response.Header
}

// tryAgain tells whether a status, or none, says that the same may succeed later. Whether
// it was done is not known then.
func tryAgain(status int) bool {
	return status == 0 || status == http.StatusBadGateway || status == http.StatusServiceUnavailable
}

// pause waits before another try, and tells whether there is time for one.
func pause(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(100 * time.Millisecond):
		return true
	}
}

// until tries until there is an answer that is not for now alone. With patience over it
// is the last one.
func (c *client) until(ctx context.Context, r request) (status int, body []byte) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		status, body, _ = c.once(ctx, r)
		if !tryAgain(status) || !pause(ctx) {
			return status, body
		}
	}
}

// event is one of a stream, as it came.
type event struct {
	id         int64
	kind, data string
}

// events reads a stream and calls hear with each event, until it ends or hear gives false.
func events(ctx context.Context, cancel context.CancelFunc, body io.Reader, hear func(event) bool) {
	quiet := time.AfterFunc(silence, cancel)
	defer quiet.Stop()
	lines := bufio.NewReader(body)
	var e event
	for ctx.Err() == nil {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		quiet.Reset(silence)
		line = strings.TrimSuffix(line, "\n")
		name, value, _ := strings.Cut(line, ": ")
		switch {
		case line == "" && e.kind != "":
			if !hear(e) {
				return
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

func with(method, userID, path string, body any) request {
	text, _ := json.Marshal(body) // of package wire, which always is JSON
	return request{method: method, path: path, userID: userID, contentType: "application/json", body: text}
}

func sending(userID, chatID, question, key string) request {
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	_ = w.SetBoundary("boundary") // the same request has the same bytes
	for _, field := range [][2]string{{wire.FieldMessage, question}, {wire.FieldProjectID, "demo"}, {wire.FieldChatID, chatID}} {
		_ = w.WriteField(field[0], field[1]) // to a buffer
	}
	_ = w.Close()
	return request{
		method: http.MethodPost, path: "/v3/chat/message", userID: userID, key: key, stream: true,
		contentType: w.FormDataContentType(), body: text.Bytes(),
	}
}

func uploading(userID, name, text, key string) request {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("boundary")
	_ = w.WriteField(wire.FieldProjectID, "demo")
	part, _ := w.CreateFormFile(wire.FieldFile, name) // to a buffer
	_, _ = io.WriteString(part, text)
	_ = w.Close()
	return request{
		method: http.MethodPost, path: "/v3/project/knowledge/add/file", userID: userID, key: key,
		contentType: w.FormDataContentType(), body: body.Bytes(),
	}
}
