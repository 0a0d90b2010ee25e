package upstream

import (
	"context"
	"io"
	"net/http"
	"slices"
)

// Question asks without a stream: all its requests together may take the client's timeout.
type Question struct {
	client *Client
	call   *Call
}

// Ask begins a Question. The caller calls Close.
func (c *Client) Ask(ctx context.Context) *Question {
	return &Question{c, &Call{caller: ctx, silence: listen(ctx, c.timeout)}}
}

// Close ends the question.
func (q *Question) Close() { q.call.silence.end() }

// Read sends a request and returns the body of its response, at most this many bytes of it. isUnfit means that the
// provider refused the form of the request. Errors are those of answering.Provider.
func (q *Question) Read(r Request, most int64) (content []byte, isUnfit bool, err error) {
	r = q.client.guarded(r)
	response, err := q.client.send(q.call.contact.trace(q.call.silence.ctx), r)
	if err != nil {
		return nil, false, q.call.Failure(err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err = io.ReadAll(io.LimitReader(response.Body, most))
	if response.StatusCode != http.StatusOK {
		isUnfit = slices.Contains([]int{http.StatusBadRequest, http.StatusUnprocessableEntity}, response.StatusCode)
		return nil, isUnfit, refused(response, tell(content[:min(len(content), errorBytes)]), r.Privy())
	}
	if err != nil {
		return nil, false, q.call.Failure(err)
	}
	return content, false, nil
}
