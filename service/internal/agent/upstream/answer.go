package upstream

import (
	"context"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Yield takes a piece of an answer, or the error that ends it. It is false if the caller has left.
type Yield = func(answering.Piece, error) bool

// Answer asks, and reads the answer with read. An answer with neither text nor calls, for which read yields nothing
// and says isEmpty with the finish reason, is asked for once more.
func (c *Client) Answer(ctx context.Context, r Request, yield Yield, read func(call *Call, yield Yield) (reason string, isEmpty bool)) {
	once := func() (string, bool) {
		call, err := c.Open(ctx, r)
		if err != nil {
			yield(answering.Piece{}, err)
			return "", false
		}
		defer call.Close()
		defer call.TellMissed()
		return read(call, yield)
	}
	reason, isEmpty := once()
	if !isEmpty {
		return
	}
	c.Log.Warn("the provider ended an answer with neither text nor calls; it is asked once more", "finish_reason", r.Privy().Identifier(Token(reason)))
	if reason, isEmpty = once(); isEmpty {
		yield(answering.Piece{}, Unfinished(reason))
	}
}
