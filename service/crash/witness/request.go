package witness

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Request is one request, as a user or, if UserID is empty, as the administrator.
type Request struct {
	Method, Path, UserID string
	// Key is the idempotency key; empty means none.
	Key         string
	ContentType string
	// LastEvent is the id of the event after which a stream starts; 0 means from its beginning.
	LastEvent int64
	Body      []byte
}

// Keyed returns the same request with an idempotency key.
func (r Request) Keyed(key string) Request {
	r.Key = key
	return r
}

// Get returns a GET request.
func Get(userID, path string) Request {
	return Request{Method: http.MethodGet, Path: path, UserID: userID}
}

// Stream returns a request for the events of a stream after an event.
func Stream(userID, streamID string, after int) Request {
	r := Get(userID, "/v3/chat/stream/"+streamID)
	r.LastEvent = int64(after)
	return r
}

// With returns a request whose body is a struct of package wire.
func With(method, userID, path string, body any) Request {
	text, _ := json.Marshal(body) // structs of package wire always encode
	return Request{Method: method, Path: path, UserID: userID, ContentType: "application/json", Body: text}
}

// Sending returns a request that asks a question, in a new chat if chatID is empty. More are
// additional form fields: name and value.
func Sending(userID, chatID, question string, more ...[2]string) Request {
	return Form(userID, "/v3/chat/message", func(w *multipart.Writer) {
		for _, field := range append([][2]string{{wire.FieldMessage, question}, {wire.FieldProjectID, "demo"}, {wire.FieldChatID, chatID}}, more...) {
			if field[1] != "" {
				_ = w.WriteField(field[0], field[1]) // writing to a buffer never fails
			}
		}
	})
}

// Form returns a POST request with the form that write writes. Equal forms have equal bytes.
func Form(userID, path string, write func(*multipart.Writer)) Request {
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	_ = w.SetBoundary("boundary")
	write(w)
	_ = w.Close()
	return Request{Method: http.MethodPost, Path: path, UserID: userID, ContentType: w.FormDataContentType(), Body: body.Bytes()}
}
