package tool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	maxTools = 64
	// unlistedRetry is when to try again to use a tool of a server that was not reached.
	unlistedRetry = 5 * time.Second
)

// Which tools of a page an agent accepts: the values of page_tools in AGENTS.
const (
	PageToolsAny      = "true"
	PageToolsDeclared = "declared"
	PageToolsNone     = "false"
)

// Set is the tools that one agent may use. A nil Set has no tools and accepts the page's. It is
// safe for concurrent use.
type Set struct {
	tools     []*Tool // http tools, and tools of the page that AGENTS declares
	servers   []*Server
	pageTools string
	pinning   sync.Mutex
}

// NewSet makes a Set of what the operator declares. An error names what conflicts. Tools of
// servers are checked when they are listed.
func NewSet(tools []*Tool, servers []*Server, pageTools string) (*Set, error) {
	s := &Set{tools: tools, servers: servers, pageTools: pageTools}
	for _, one := range tools {
		one.declared = true
	}
	for _, one := range servers {
		one.list.set = s
	}
	if err := checkTogether(append(s.offered(nil), s.declaredPages()...)); err != nil {
		return nil, err
	}
	return s, nil
}

// Run connects to the agent's MCP servers and keeps their lists up to date, until ctx ends. The
// readings say which tools count; nil forgets them with the process.
func (s *Set) Run(ctx context.Context, agentID string, readings FirstReadings) {
	if readings == nil {
		readings = &inMemory{}
	}
	var running sync.WaitGroup
	if s != nil {
		for _, server := range s.servers {
			server.list.agentID, server.list.readings = agentID, readings
			running.Go(func() { server.run(ctx) })
		}
	}
	running.Wait()
}

// Tried waits until Run has tried to reach each server once, or ctx ends.
func (s *Set) Tried(ctx context.Context) {
	if s == nil {
		return
	}
	for _, server := range s.servers {
		select {
		case <-server.tried:
		case <-ctx.Done():
		}
	}
}

// Close ends what calls have left open. Call it after Run and the last call have ended.
func (s *Set) Close() {
	if s == nil {
		return
	}
	for _, server := range s.servers {
		server.close()
	}
}

// Offer returns the tools for one message: the agent's, and those of the page that pageTools
// names, an object of wire.PageTool by name, nil for none. The shelf keeps the page's. An error is a *fault.Error with the
// field page_tools.
func (s *Set) Offer(shelf *Shelf, pageTools wire.JSON) ([]*Tool, error) {
	if s == nil {
		s = &Set{pageTools: PageToolsAny}
	}
	pages, err := s.pages(shelf, pageTools)
	if err != nil {
		return nil, inField(wire.FieldPageTools, err)
	}
	all := s.offered(pages)
	if err := checkTogether(all); err != nil {
		return nil, inField(wire.FieldPageTools, err)
	}
	return all, nil
}

// Current returns the operator's tool with that name in its current definition. It returns nil if
// there is none, or if its server has changed the definition. If its server has not listed its
// tools yet, the error is a *fault.Error with the code UNAVAILABLE.
func (s *Set) Current(name string) (*Tool, error) {
	if s == nil {
		return nil, nil
	}
	for _, one := range append(s.offered(nil), s.declaredPages()...) {
		if one.Name == name {
			return one, nil
		}
	}
	for _, server := range s.servers {
		if !server.list.isListed() && strings.HasPrefix(name, server.prefix()) {
			return nil, unlisted(name)
		}
	}
	return nil, nil
}

// offered returns the operator's tools that need no page, followed by those of the page.
func (s *Set) offered(pages []*Tool) []*Tool {
	var all []*Tool
	for _, one := range s.tools {
		if one.Kind != wire.ToolPage {
			all = append(all, one)
		}
	}
	for _, server := range s.servers {
		all = append(all, server.list.tools()...)
	}
	return append(all, pages...)
}

// beside returns the operator's tools except those of one server.
func (s *Set) beside(server *Server) []*Tool {
	all := slices.Clone(s.tools)
	for _, other := range s.servers {
		if other != server {
			all = append(all, other.list.tools()...)
		}
	}
	return all
}

// hasNamed reports whether a tool of AGENTS has a name that one of a server would have, or whether the name begins as those
// of another server do.
func (s *Set) hasNamed(server *Server, name string) bool {
	return slices.ContainsFunc(s.tools, func(one *Tool) bool { return one.Name == name }) ||
		slices.ContainsFunc(s.servers, func(other *Server) bool {
			return len(other.prefix()) > len(server.prefix()) && strings.HasPrefix(name, other.prefix())
		})
}

func (s *Set) declaredPages() []*Tool {
	var all []*Tool
	for _, one := range s.tools {
		if one.Kind == wire.ToolPage {
			all = append(all, one)
		}
	}
	return all
}

// pages returns the page's tools.
func (s *Set) pages(shelf *Shelf, pageTools wire.JSON) ([]*Tool, error) {
	if len(pageTools) == 0 || string(pageTools) == "null" {
		return nil, nil
	}
	if s.pageTools == PageToolsNone {
		return nil, errors.New("this agent accepts no tools of the page")
	}
	entries, err := readEntries(pageTools)
	if err != nil {
		return nil, err
	}
	if len(entries) > maxTools {
		return nil, fmt.Errorf("there are %d tools, want at most %d", len(entries), maxTools)
	}
	var all []*Tool
	for _, entry := range entries {
		one := s.declaredPage(entry.name)
		if one == nil && s.pageTools == PageToolsDeclared {
			return nil, fmt.Errorf("tool %q is not declared in AGENTS, and this agent accepts no others", fault.Shorten(entry.name, 64))
		}
		if one == nil {
			if one, err = shelf.pageTool(entry.name, entry.definition); err != nil {
				return nil, err
			}
		}
		// Each is checked as it is read, because compiling more than allowed would cost too much.
		if all = append(all, one); checkTogether(all) != nil {
			return nil, checkTogether(all)
		}
	}
	return all, nil
}

func (s *Set) declaredPage(name string) *Tool {
	for _, one := range s.declaredPages() {
		if one.Name == name {
			return one
		}
	}
	return nil
}

// checkTogether reports whether tools may be offered together.
func checkTogether(all []*Tool) error {
	if len(all) > maxTools {
		return fmt.Errorf("there are %d tools with the agent's, want at most %d", len(all), maxTools)
	}
	kinds, bytes := map[string]string{}, 0
	for _, one := range all {
		if kind, has := kinds[one.Name]; has {
			return fmt.Errorf("tool %q occurs twice, as %s and %s", one.Name, kind, one.Kind)
		}
		kinds[one.Name] = one.Kind
		bytes += len(one.Parameters)
	}
	if bytes > schemaBytes {
		return fmt.Errorf("the schemas have %d bytes with the agent's, want at most %d", bytes, schemaBytes)
	}
	return nil
}
