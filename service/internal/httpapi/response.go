package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// writeTime is how long one write may wait for the reader, so that a reader that has disappeared
// doesn't hold its goroutine for ever. It is longer than any heartbeat: HTTP/2 ends a stream at
// its deadline even if nothing is being written.
const writeTime = paceTime

// writeBytes is the largest single write.
const writeBytes = 64 << 10

// response records what is sent, and gives each write its own deadline instead of one for the
// whole answer.
type response struct {
	http.ResponseWriter
	control *http.ResponseController
	status  int
	bytes   int64
}

func newResponse(w http.ResponseWriter) *response {
	return &response{ResponseWriter: w, control: http.NewResponseController(w)}
}

// Unwrap gives http.ResponseController access to the connection.
func (w *response) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// WriteHeader sends the status.
func (w *response) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

// Write sends a part of the body in pieces that a slow reader can take before the deadline of
// each. All pieces together must keep the pace.
func (w *response) Write(part []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	sent, pace := 0, newPace(answerPace, time.Now())
	for {
		_ = w.control.SetWriteDeadline(pace.deadline())
		n, err := w.ResponseWriter.Write(part[sent:min(sent+writeBytes, len(part))])
		sent += n
		w.bytes += int64(n)
		pace.pass(n, time.Now())
		if err != nil || sent == len(part) {
			w.extend()
			return sent, err
		}
	}
}

func (w *response) flush() error {
	w.extend()
	return w.control.Flush()
}

// extend sets the deadline of the next write. Writers in tests have no deadlines.
func (w *response) extend() {
	_ = w.control.SetWriteDeadline(time.Now().Add(writeTime))
}

// writeJSON answers with a JSON body, or with an error if the budget has no room for it.
func (c *call) writeJSON(status int, body any) {
	text := encodeJSON(body)
	if err := c.holdAnswer(len(text)); err != nil {
		c.fail(err)
		return
	}
	header := c.w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(text)))
	c.w.WriteHeader(status)
	_, _ = c.w.Write(text) // a client that has left needs no answer
}

func encodeJSON(body any) []byte {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(body); err != nil {
		panic(fmt.Sprintf("httpapi: encode %T: %v", body, err)) // only a bug in our own types can cause this
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}
