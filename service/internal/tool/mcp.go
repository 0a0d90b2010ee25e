package tool

// Server is an MCP server.
type Server struct{}

func (*Server) isListed() bool { return true }
func (*Server) prefix() string { return "" }
func (*Server) tools() []*Tool { return nil }
