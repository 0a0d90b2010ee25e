package sdk

import "context"

// ListAgents returns the agents that the caller may use, the default one first.
func (c *Client) ListAgents(ctx context.Context) (*ListAgentsResponse, error) {
	text, err := c.CallJSON(ctx, listAgents)
	return decoded(text, err, decodeAgents)
}
