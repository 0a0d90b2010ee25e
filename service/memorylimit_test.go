package main_test

import (
	"fmt"
	"math"
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/app"
	"github.com/chatsdk/chatsdk/service/internal/config"
)

func TestBytesInFlightFitTheMemory(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name             string
		memory           int64
		env              env
		process, perUser int64
		readers          int
		heap             int64
	}{
		{"no limit", 0, nil, 512 << 20, 128 << 20, 2, 0},
		{"much memory", 16 << 30, nil, 512 << 20, 128 << 20, 2, 0},
		{"a container of 512 MiB", 512 << 20, nil, 128 << 20, 128 << 20, 1, 128 << 20},
		{"a container of 1 GiB", 1 << 30, nil, 256 << 20, 128 << 20, 1, 256 << 20},
		{"a container of 128 MiB", 128 << 20, nil, 32 << 20, 32 << 20, 1, 32 << 20},
		{"what is set stays", 512 << 20, env{"BYTES_IN_FLIGHT": "0", "BYTES_IN_FLIGHT_PER_USER": "7"}, 0, 7, 1, 128 << 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			s, _, err := config.Parse(row.memory, nil, row.env.lookup)
			require.NoError(t, err)
			require.Equal(t, []any{row.readers, row.heap}, []any{s.Readers, s.ReaderHeap})
			require.Contains(t, fmt.Sprintf("%+v", *s), fmt.Sprintf("BytesInFlight:%d BytesInFlightPerUser:%d ", row.process, row.perUser))
		})
	}
}

func TestTheHeapIsBoundByTheMemory(t *testing.T) { // not parallel: the limit is the process's
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	debug.SetMemoryLimit(math.MaxInt64)
	app.BoundHeap(0, env{}.lookup)
	require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1), "no limit")
	app.BoundHeap(512<<20, env{"GOMEMLIMIT": "1GiB"}.lookup)
	require.EqualValues(t, math.MaxInt64, debug.SetMemoryLimit(-1), "GOMEMLIMIT wins")
	app.BoundHeap(512<<20, env{}.lookup)
	require.InDelta(t, 358<<20, debug.SetMemoryLimit(-1), 1<<20)
}
