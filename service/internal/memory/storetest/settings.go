package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

var settingsRules = []rule{
	{"what was never set is nil", unsetSettings},
	{"settings are set one by one", settingsOneByOne},
}

func unsetSettings(t *testing.T, store Store) {
	settings, err := store.MemorySettings(t.Context(), "project", "assistant")
	require.NoError(t, err)
	require.Equal(t, wire.MemorySettings{}, settings)
}

func settingsOneByOne(t *testing.T, store Store) {
	on, off, seven := true, false, 7
	none, some := []string{}, []string{wire.MemoryFact, wire.MemoryPreference}
	want := wire.MemorySettings{}
	for _, set := range []func(*wire.MemorySettings){
		func(s *wire.MemorySettings) { s.MemoryEnabled = &on },
		func(s *wire.MemorySettings) { s.MaxMemories = &seven },
		func(s *wire.MemorySettings) {},
		func(s *wire.MemorySettings) { s.AutoApprove = &off },
		func(s *wire.MemorySettings) { s.MemoryTypes = none },
		func(s *wire.MemorySettings) { s.MemoryTypes = some },
		func(s *wire.MemorySettings) { s.MemoryEnabled, s.AutoApprove = &off, &on },
	} {
		var change wire.MemorySettings
		set(&change)
		set(&want)
		got, err := store.SetMemorySettings(t.Context(), "project", "assistant", change)
		require.NoError(t, err)
		require.Equal(t, want, got)
		got, err = store.MemorySettings(t.Context(), "project", "assistant")
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, other := range [][2]string{{"project", "other"}, {"elsewhere", "assistant"}} {
		settings, err := store.MemorySettings(t.Context(), other[0], other[1])
		require.NoError(t, err)
		require.Equal(t, wire.MemorySettings{}, settings)
	}
}
