//go:build js && wasm

package bridge

import (
	"strconv"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// memory makes a call of the table of memory operations.
func (c *call) memory(m *sdk.MemoryCall) (wire.JSON, error) {
	values := make([]string, len(m.Arguments))
	for i, field := range m.Arguments {
		values[i] = c.id(field)
	}
	if m.Keyed() {
		values = append(values, c.id("idempotencyKey"))
	}
	var settings *sdk.MemorySettings
	if m.TakesSettings() {
		settings = c.memorySettings()
	}
	if err := c.finish(); err != nil {
		return nil, err
	}
	return c.client.MemoryJSON(c.ctx, m, settings, values...)
}

func (c *call) memorySettings() *sdk.MemorySettings {
	settings := &sdk.MemorySettings{
		MemoryEnabled: c.flag("memoryEnabled"), AutoApprove: c.flag("autoApprove"), MemoryTypes: c.texts("memoryTypes"),
	}
	if most := int(c.whole("maxMemories", "1 to "+strconv.Itoa(sdk.MaxMemories))); most != 0 {
		settings.MaxMemories = &most
	}
	return settings
}
