package witness

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Request is one request, for a user or, without one, as the administrator.
type Request struct {
	Method, Path, UserID string
	// Key makes it idempotent; empty means no key.
	Key         string
	ContentType string
	// LastEvent is the event after which a stream is read.
	LastEvent int64
	Body      []byte
}

// Keyed returns the same request with a key.
func (r Request) Keyed(key string) Request {
	r.Key = key
	return r
}

// Get sends a GET request.
func Get(userID, path string) Request {
	return Request{Method: http.MethodGet, Path: path, UserID: userID}
}

// Stream requests a stream after an event.
func Stream(userID, streamID string, after int) Request {
	r := Get(userID, "/v3/chat/stream/"+streamID)
	r.LastEvent = int64(after)
	return r
}

// With sends a body of package wire.
func With(method, userID, path string, body any) Request {
	text, _ := json.Marshal(body) // it always is JSON
	return Request{Method: method, Path: path, UserID: userID, ContentType: "application/json", Body: text}
}

// Sending asks a question, in a new chat if chatID is empty. More are further fields of the form.
func Sending(userID, chatID, question string, more ...[2]string) Request {
	return Form(userID, "/v3/chat/message", func(w *multipart.Writer) {
		for _, field := range append([][2]string{{wire.FieldMessage, question}, {wire.FieldProjectID, "demo"}, {wire.FieldChatID, chatID}}, more...) {
			if field[1] != "" {
				_ = w.WriteField(field[0], field[1]) // a buffer takes everything
			}
		}
	})
}

// Form sends what write writes. Equal forms have equal bytes.
func Form(userID, path string, write func(*multipart.Writer)) Request {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("boundary")
	write(w)
	_ = w.Close() // a buffer takes everything
	return Request{Method: http.MethodPost, Path: path, UserID: userID, ContentType: w.FormDataContentType(), Body: body.Bytes()}
}
