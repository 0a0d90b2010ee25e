package tool

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	listPages = 100
	listTools = 1000
)

// list is what a server has said about its tools.
type list struct {
	server *Server
	set    *Set // the agent's set, which includes this server's tools
	// agentID and readings are set by Set.Run.
	agentID  string
	readings FirstReadings

	mu sync.Mutex
	// version is the protocol's, empty before the server was reached.
	version string
	isRead  bool
	// made are the tools as they were first read, by the server's names.
	made map[string]*Tool
	// offered are those of them that the newest list has unchanged.
	offered []*Tool
	// told is what was logged about a tool, so that it is logged once.
	told map[string]string
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

// read reads the server's list, and uses the tools that are as they were first read.
func (s *Server) read(ctx context.Context, transport *roundTripper, session *mcp.ClientSession) error {
	ctx, cancel := context.WithTimeout(ctx, listTimeout)
	defer cancel()
	all, err := listAll(ctx, transport, session)
	if err = transport.exceeded(err); err == nil {
		err = s.list.update(ctx, session.InitializeResult().ProtocolVersion, all)
	}
	return err
}

// listAll lists the tools of a server, all pages, which together have the size of an answer at most.
func listAll(ctx context.Context, transport *roundTripper, session *mcp.ClientSession) (all []*mcp.Tool, err error) {
	transport.beginList()
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

// update handles a list. What is not as it was first read is withheld: a definition that the server
// changes until it restores it, and a tool that it adds until the operator names it.
func (l *list) update(ctx context.Context, version string, all []*mcp.Tool) error {
	wanted := l.wanted(all)
	first, err := l.first(ctx, wanted)
	if err != nil {
		return err
	}
	wanted = slices.DeleteFunc(wanted, func(one *mcp.Tool) bool { return !l.isAsFirst(one, first) })
	l.set.pinning.Lock() // if two servers list at the same time, one of them waits
	defer l.set.pinning.Unlock()
	var offered []*Tool
	for _, remote := range wanted {
		if one := l.take(remote, first, offered); one != nil && !slices.Contains(offered, one) {
			offered = append(offered, one)
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.version, l.isRead, l.offered = version, true, offered
	return nil
}

// wanted returns the tools that AGENTS names, each once.
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
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(all), func(one *mcp.Tool) bool {
		if config.Only != nil && !slices.Contains(config.Only, one.Name) {
			return true
		}
		if seen[one.Name] {
			l.tell(one.Name, "the MCP server lists a tool of this name twice, and the first counts")
			return true
		}
		seen[one.Name] = true
		return false
	})
}

// take returns the tool to offer. If it is withheld, take returns nil and logs why.
func (l *list) take(remote *mcp.Tool, first map[string]string, offered []*Tool) *Tool {
	if before := l.made[remote.Name]; before != nil {
		l.forget(remote.Name)
		return before
	}
	one, err := l.define(l.nameOf(remote.Name, first), remote)
	if err != nil {
		l.tell(remote.Name, "a tool of the MCP server is withheld: "+err.Error())
		return nil
	}
	if err := checkTogether(append(append(l.set.beside(l.server), offered...), one)); err != nil {
		l.tell(remote.Name, "a tool of the MCP server is withheld: "+err.Error()+"; choose tools with the option only")
		return nil
	}
	if one.schema.unchecked != "" {
		l.tell(remote.Name, "a pattern of an MCP server's tool is not checked: "+one.schema.unchecked)
	}
	l.made[remote.Name] = one
	return one
}

// nameOf returns the name under which models get a tool: the server's behind the prefix. Where that could be another
// tool's, it ends with a mark of the server's own name. What counts as another tool is the same in all replicas and after
// a restart: those of AGENTS, those of the first reading, and whatever has the prefix of another server.
func (l *list) nameOf(remote string, first map[string]string) string {
	whole := l.server.prefix() + remote
	name := fitted(whole)
	if !l.set.hasNamed(l.server, name) && (name == whole || !slices.ContainsFunc(slices.Collect(maps.Keys(first)), func(other string) bool {
		return other != remote && fitted(l.server.prefix()+other) == name
	})) {
		return name
	}
	sum := sha256.Sum256([]byte(whole))
	mark := "_" + hex.EncodeToString(sum[:3])
	return name[:min(len(name), longestName-len(mark))] + mark
}

// define makes the tool from what the server says.
func (l *list) define(name string, remote *mcp.Tool) (*Tool, error) {
	traits := l.server.config.Traits
	if own, ok := l.server.config.Each[remote.Name]; ok {
		traits = own
	}
	parameters, err := plainJSON(remote.InputSchema)
	if err != nil {
		return nil, err
	}
	one, err := Definition{
		Kind: wire.ToolMCP, Name: name, Description: remote.Description, Address: l.server.config.Prefix, Parameters: parameters,
		Approval: traits.Approval, Idempotent: traits.Idempotent, Timeout: traits.Timeout,
	}.tool(&remoteTool{l.server, remote.Name, bytes.Contains(parameters, []byte(`"x-mcp-header"`))}, stranger)
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
	l.server.config.Log.Warn(text, append([]any{"name", fault.Shorten(remote, 64)}, more...)...)
}

// forget allows warnings about a tool to be logged again.
func (l *list) forget(remote string) {
	if was, told := l.told[remote]; told && strings.Contains(was, textChanged) {
		delete(l.told, remote)
		l.server.config.Log.Info("a tool of the MCP server has its first definition again, and is offered again", "name", fault.Shorten(remote, 64))
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
	return name[:min(len(name), longestName)]
}
