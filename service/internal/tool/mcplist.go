package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	listPages = 100
	listTools = 1000
)

// list is what a server has said about its tools.
type list struct {
	server *Server
	set    *Set // the agent's set, which includes this server's tools

	mu sync.Mutex
	// version is the protocol's, empty before the server was reached.
	version string
	isRead  bool
	// pinned are the tools as they were first listed, by the names that models use.
	pinned map[string]*listed
	// offered are the pinned tools that the newest list has unchanged.
	offered []*Tool
	// told is what was logged about a tool, so that it is logged once.
	told map[string]string
}

// listed is a tool with its name at the server.
type listed struct {
	tool   *Tool
	remote string
}

func (l *list) isListed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.isRead
}

func (l *list) spoken() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.version
}

func (l *list) tools() []*Tool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.offered)
}

// read reads the server's list, and uses the tools that are new or unchanged.
func (s *Server) read(ctx context.Context, session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	all, err := listAll(ctx, session)
	if err == nil {
		s.list.update(session.InitializeResult().ProtocolVersion, all)
	}
	return err
}

// listAll lists the tools of a server, all pages.
func listAll(ctx context.Context, session *mcp.ClientSession) (all []*mcp.Tool, err error) {
	params := &mcp.ListToolsParams{}
	for range listPages {
		page, err := session.ListTools(ctx, params)
		if err != nil {
			return nil, err
		}
		if all = append(all, page.Tools...); len(all) > listTools {
			return nil, fmt.Errorf("the server lists more than %d tools", listTools)
		}
		if page.NextCursor == "" {
			return all, nil
		}
		params.Cursor = page.NextCursor
	}
	return nil, fmt.Errorf("the server's list has more than %d pages", listPages)
}

// update handles a list. The first definition of a tool is pinned: if the server changes it, the
// tool is withheld until the server restores it.
func (l *list) update(version string, all []*mcp.Tool) {
	l.set.pinning.Lock() // if two servers list at the same time, one of them waits
	defer l.set.pinning.Unlock()
	wanted := l.wanted(all)
	var offered []*Tool
	for _, remote := range wanted {
		if one := l.take(remote, wanted, offered); one != nil {
			offered = append(offered, one)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version, l.isRead, l.offered = version, true, offered
}

// wanted returns the tools that AGENTS names.
func (l *list) wanted(all []*mcp.Tool) []*mcp.Tool {
	config := l.server.config
	isThere := func(name string) bool {
		return slices.ContainsFunc(all, func(one *mcp.Tool) bool { return one.Name == name })
	}
	for _, name := range config.Only {
		if !isThere(name) {
			l.tell(name, "the MCP server has no such tool, though AGENTS names it in only")
		}
	}
	for name := range config.Each {
		if !isThere(name) {
			l.tell(name, "the MCP server has no such tool, though AGENTS names it in each")
		}
	}
	if config.Only == nil {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(one *mcp.Tool) bool { return !slices.Contains(config.Only, one.Name) })
}

// take returns the tool to offer. If it is withheld, take returns nil and logs why.
func (l *list) take(remote *mcp.Tool, wanted []*mcp.Tool, offered []*Tool) *Tool {
	name := fitted(l.server.prefix() + remote.Name)
	before := l.pinned[name]
	same := slices.IndexFunc(wanted, func(one *mcp.Tool) bool { return one != remote && fitted(l.server.prefix()+one.Name) == name })
	if same >= 0 && (before == nil || before.remote != remote.Name) {
		l.tell(remote.Name, "a tool of the MCP server is withheld: it would have the same name as another one, "+name+"; leave one of them out with only")
		return nil
	}
	one, err := l.define(name, remote)
	if err != nil {
		l.tell(remote.Name, "a tool of the MCP server is withheld: "+err.Error())
		return nil
	}
	if before == nil {
		if err := checkTogether(append(append(l.set.beside(l.server), offered...), one)); err != nil {
			l.tell(remote.Name, "a tool of the MCP server is withheld: "+err.Error()+"; choose tools with the option only")
			return nil
		}
		l.pinned[name] = &listed{one, remote.Name}
		return one
	}
	if before.remote != remote.Name || before.tool.Digest() != one.Digest() {
		l.tell(remote.Name, "a tool of the MCP server is withheld: its definition changed; restart the service to accept the new one", "tool", name, "digest", one.Digest())
		return nil
	}
	l.forget(remote.Name)
	return before.tool
}

// define makes the tool from what the server says.
func (l *list) define(name string, remote *mcp.Tool) (*Tool, error) {
	traits := l.server.config.Traits
	if own, ok := l.server.config.Each[remote.Name]; ok {
		traits = own
	}
	var parameters bytes.Buffer
	encoder := json.NewEncoder(&parameters)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(remote.InputSchema); err != nil {
		return nil, err
	}
	one, err := Definition{
		Kind: wire.ToolMCP, Name: name, Description: remote.Description, Address: l.server.config.Prefix, Parameters: parameters.Bytes(),
		Approval: traits.Approval, Idempotent: traits.Idempotent, Timeout: traits.Timeout,
	}.tool(&remoteTool{l.server, remote.Name, bytes.Contains(parameters.Bytes(), []byte(`"x-mcp-header"`))}, stranger)
	if err != nil {
		return nil, err
	}
	one.declared = true
	return one, nil
}

// tell logs each warning about a tool once.
func (l *list) tell(remote, text string, more ...any) {
	key := fmt.Sprint(text, more)
	if l.told[remote] == key {
		return
	}
	l.told[remote] = key
	l.server.config.Log.Warn(text, append([]any{"name", cutCharacters(remote, 64)}, more...)...)
}

// forget allows warnings about a tool to be logged again.
func (l *list) forget(remote string) {
	if _, was := l.told[remote]; was {
		delete(l.told, remote)
		l.server.config.Log.Info("a tool of the MCP server has its first definition again, and is offered again", "name", cutCharacters(remote, 64))
	}
}

// fitted makes a name that models accept for a tool.
func fitted(name string) string {
	name = strings.Map(func(r rune) rune {
		if r < 128 && names.MatchString(string(r)) {
			return r
		}
		return '_'
	}, name)
	return name[:min(len(name), 64)]
}
