package memory

import (
	"fmt"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Bounds of wire.MemorySettings.MaxMemories, and its default.
const (
	minMemories     = 1
	maxMemories     = 1000
	defaultMemories = 50
)

// DefaultPendingLifetime is how long a memory waits for a reviewer.
const DefaultPendingLifetime = 7 * 24 * time.Hour

// allTypes are the types of memories.
func allTypes() []string {
	return []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}
}

// Rules are the settings of an agent with all defaults applied.
type Rules struct {
	Enabled     bool
	Max         int
	AutoApprove bool
	Types       []string
	// Lifetime is how many seconds a memory is pending.
	Lifetime float64
	// Total is how many memories an owner may have, in any status; 0 means no limit.
	Total int
}

// resolve takes each setting from the first layer that has it.
func resolve(lifetime time.Duration, layers ...wire.MemorySettings) Rules {
	rules := Rules{Max: defaultMemories, Types: allTypes(), Lifetime: lifetime.Seconds()}
	for _, layer := range slices.Backward(layers) {
		if layer.MemoryEnabled != nil {
			rules.Enabled = *layer.MemoryEnabled
		}
		if layer.MaxMemories != nil {
			rules.Max = *layer.MaxMemories
		}
		if layer.AutoApprove != nil {
			rules.AutoApprove = *layer.AutoApprove
		}
		if layer.MemoryTypes != nil {
			rules.Types = layer.MemoryTypes
		}
	}
	return rules
}

// settings returns the rules as the API shows them.
func (r Rules) settings() wire.MemorySettings {
	return wire.MemorySettings{MemoryEnabled: &r.Enabled, MaxMemories: &r.Max, AutoApprove: &r.AutoApprove, MemoryTypes: r.Types}
}

// CheckSettings refuses invalid settings with a *fault.Error that names the field.
func CheckSettings(settings wire.MemorySettings) error {
	if n := settings.MaxMemories; n != nil && (*n < minMemories || *n > maxMemories) {
		return fault.Invalid("max_memories", "max_memories is %d, want %d to %d", *n, minMemories, maxMemories)
	}
	for i, kind := range settings.MemoryTypes {
		if !slices.Contains(allTypes(), kind) {
			return fault.Invalid("memory_types", "memory_types has an unknown type, want %s", orList(allTypes()))
		}
		if slices.Contains(settings.MemoryTypes[:i], kind) {
			return fault.Invalid("memory_types", "memory_types has %s twice", kind)
		}
	}
	return nil
}

// orList joins words as in "a, b or c".
func orList(words []string) string {
	text := words[0]
	for i, word := range words[1:] {
		if i == len(words)-2 {
			text += fmt.Sprintf(" or %s", word)
		} else {
			text += ", " + word
		}
	}
	return text
}
