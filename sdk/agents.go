package sdk

import "context"

// ListAgents gives the agents that the caller may use, the default one first.
func (c *Client) ListAgents(ctx context.Context) (*ListAgentsResponse, error) {
	const operation = "listAgents"
	body, err := c.call(ctx, operation, &Request{Method: "GET", URL: "/project/" + escape(c.config.ProjectID) + "/agents"})
	if err != nil {
		return nil, err
	}
	v, err := answer(operation, body)
	if err != nil {
		return nil, err
	}
	list := decodeAgents(v)
	list.Raw = body
	return &list, nil
}
