package sdk

import (
	"context"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// ListAgents gives the agents that the caller may use, the default one first.
func (c *Client) ListAgents(ctx context.Context) (*ListAgentsResponse, error) {
	text, err := c.ListAgentsJSON(ctx)
	if err != nil {
		return nil, err
	}
	list := decodeAgents(jsontext.Value(text))
	return &list, nil
}

// ListAgentsJSON is ListAgents without the decoding.
func (c *Client) ListAgentsJSON(ctx context.Context) (wire.JSON, error) {
	a, err := c.call(ctx, "listAgents", &Request{Method: "GET", URL: "/project/" + escape(c.config.ProjectID) + "/agents"})
	if err != nil {
		return nil, err
	}
	return wire.JSON(a.value), nil
}
