package storetest

import (
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// FirstReadings tests a store's first readings. The database of more is that of store.
func FirstReadings(t *testing.T, store, more tool.FirstReadings) {
	t.Helper()
	read := func(agentID, server string, listed, added map[string]string) map[string]string {
		kept, err := store.FirstReading(t.Context(), agentID, server, listed, added)
		require.NoError(t, err)
		return kept
	}
	one := map[string]string{"a": "1", "é\u0000\"": "2"}
	require.Equal(t, one, read("agent", "s", one, nil))
	require.Equal(t, one, read("agent", "s", map[string]string{"a": "changed", "b": "added"}, nil))
	named := map[string]string{"a": "1", "é\u0000\"": "2", "c": "named"}
	require.Equal(t, named, read("agent", "s", nil, map[string]string{"a": "changed", "c": "named"}))
	require.Equal(t, named, read("agent", "s", nil, map[string]string{"c": "changed"}))
	require.Equal(t, map[string]string{"b": "1"}, read("agent", "other", map[string]string{"b": "1"}, nil))
	require.Equal(t, map[string]string{"c": "1"}, read("another", "s", nil, map[string]string{"c": "1"}))

	var all sync.WaitGroup // several processes that read at once agree
	got := make([]map[string]string, 8)
	for i := range got {
		all.Go(func() {
			from := []tool.FirstReadings{store, more}[i%2]
			got[i], _ = from.FirstReading(t.Context(), "agent", "at once", map[string]string{string(rune('a' + i)): "1"}, nil)
		})
	}
	all.Wait()
	for _, one := range got {
		require.Len(t, one, 1)
		require.Equal(t, got[0], one)
	}
}
