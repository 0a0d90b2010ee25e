package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// FirstReadings keep which tools the MCP servers of an agent listed when their lists were first read,
// for all replicas and over restarts: the digests of their definitions, by the servers' names of the
// tools. FirstReadings is safe for concurrent use.
type FirstReadings interface {
	// FirstReading returns what is kept of a server, and keeps listed if nothing is. It also keeps
	// those of added whose names are not kept yet.
	FirstReading(ctx context.Context, agentID, server string, listed, added map[string]string) (map[string]string, error)
}

// inMemory are FirstReadings that the process forgets.
type inMemory struct {
	mu   sync.Mutex
	kept map[string]map[string]string
}

// FirstReading implements FirstReadings.
func (m *inMemory) FirstReading(_ context.Context, agentID, server string, listed, added map[string]string) (map[string]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := agentID + " " + server
	if m.kept == nil {
		m.kept = map[string]map[string]string{}
	}
	m.kept[key] = Kept(m.kept[key], listed, added)
	return maps.Clone(m.kept[key]), nil
}

// Kept is what a first reading becomes: kept is nil if there is none yet.
func Kept(kept, listed, added map[string]string) map[string]string {
	all := map[string]string{}
	maps.Copy(all, added)
	if kept == nil {
		maps.Copy(all, listed)
	}
	maps.Copy(all, kept)
	return all
}

// definitionBytes is the largest size of a definition that a server lists.
const definitionBytes = 64 << 10

// digestOf is the digest of what a server says about a tool, without what the operator says.
func digestOf(remote *mcp.Tool) (string, error) {
	schema, err := plainJSON(remote.InputSchema)
	if err == nil && len(remote.Name)+len(remote.Description)+len(schema) > definitionBytes {
		err = fmt.Errorf("its definition is too long, want at most %d bytes", definitionBytes)
	}
	return Definition{Kind: wire.ToolMCP, Name: remote.Name, Description: remote.Description, Parameters: schema}.Digest(), err
}

// key names the first reading of a server: its prefix, its address without what may be a secret, and
// what the operator has written into reviewed. Who reads the database learns no address from it.
func (c ServerConfig) key() string {
	address := c.URL
	if u, err := url.Parse(c.URL); err == nil {
		address = u.Scheme + "://" + u.Host + u.Path
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q", c.Prefix, address, c.Reviewed))
	return hex.EncodeToString(sum[:])
}

// first returns what was first read of a server. A list without tools is no first reading: the server
// may be starting.
func (l *list) first(ctx context.Context, wanted []*mcp.Tool) (map[string]string, error) {
	listed, added := map[string]string{}, map[string]string{}
	for _, one := range wanted {
		digest, err := digestOf(one)
		if err != nil {
			continue
		}
		listed[one.Name] = digest
		if l.server.config.Only != nil {
			added[one.Name] = digest
		}
	}
	if len(listed) == 0 {
		return listed, nil
	}
	first, err := l.readings.FirstReading(ctx, l.agentID, l.server.config.key(), listed, added)
	if err != nil {
		return nil, fmt.Errorf("what was first read of its tools is not known now: %w", err)
	}
	return first, nil
}

const (
	howToAccept = "set reviewed of its server in AGENTS to another value to accept what it lists then"
	textChanged = "a tool of the MCP server is withheld: its definition changed; " + howToAccept
	textAdded   = "a tool of the MCP server is withheld: the server added it after its list was first read; name it in only, or " + howToAccept
)

// isAsFirst reports whether a tool is as it was first read. Otherwise it logs why it is withheld.
func (l *list) isAsFirst(remote *mcp.Tool, first map[string]string) bool {
	digest, err := digestOf(remote)
	if err != nil {
		l.tell(remote.Name, "a tool of the MCP server is withheld: "+err.Error())
		return false
	}
	switch kept, has := first[remote.Name]; {
	case !has:
		l.tell(remote.Name, textAdded, "digest", digest)
		return false
	case kept != digest:
		l.tell(remote.Name, textChanged, "digest", digest)
		return false
	}
	return true
}
