package sse_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/sse"
)

// FuzzDecoder feeds any bytes, cut into pieces of the given sizes in turn, with any limit.
func FuzzDecoder(f *testing.F) {
	for i, v := range vectors(f) {
		f.Add(v.stream(), []byte{1}, uint16(64))
		f.Add(v.stream(), []byte{byte(i), 0, 3}, uint16(i))
	}
	f.Fuzz(func(t *testing.T, stream, sizes []byte, limit uint16) {
		want := reference(stream)
		pieces := cutBy(stream, cycle(sizes))
		for _, cut := range [][][]byte{{stream}, pieces} {
			got, err := decode(&sse.Decoder{}, cut)
			require.NoError(t, err)
			require.Equal(t, want, got)
		}
		fuzzCap(t, stream, pieces, int(limit)+1)
	})
}

func fuzzCap(t *testing.T, stream []byte, pieces [][]byte, limit int) {
	all := reference(stream)
	want, wantErr := decode(&sse.Decoder{MaxBytes: limit}, [][]byte{stream})
	require.Equal(t, all[:len(want)], want)
	if wantErr == nil {
		require.Len(t, want, len(all))
	}
	if 3*len(stream) <= limit { // a byte decodes to three at most
		require.NoError(t, wantErr)
	}
	d := sse.Decoder{MaxBytes: limit}
	got := []event{}
	for _, piece := range pieces {
		more, err := decode(&d, [][]byte{piece})
		got = append(got, more...)
		require.LessOrEqual(t, max(d.Held(), d.Reserved()), limit)
		if err != nil {
			require.Equal(t, wantErr, err)
		}
	}
	require.Equal(t, wantErr, d.Feed(nil, nil))
	require.Equal(t, want, got)
}

// cycle returns the first sizes again and again, or 5 if none of them is positive. More sizes would
// let a few bytes come in millions of empty pieces.
func cycle(sizes []byte) func() int {
	sizes = sizes[:min(len(sizes), 16)]
	var i, sum int
	for _, size := range sizes {
		sum += int(size)
	}
	if sum == 0 {
		sizes = []byte{5}
	}
	return func() int {
		i++
		return int(sizes[(i-1)%len(sizes)])
	}
}
