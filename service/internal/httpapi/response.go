package httpapi

import (
	"net/http"
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
	pace := newPace(answerPace, time.Now())
	return w.writeAt(&pace, part)
}

// writeAt is Write for a body that is written in several parts, which must keep the pace together.
func (w *response) writeAt(pace *pace, part []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	for sent := 0; ; {
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
