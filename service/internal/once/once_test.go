package once_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// claims is a Store that holds one claim.
type claims struct {
	claim once.Claim
	err   error
}

func (c claims) Claimed(_ context.Context, id once.ID, since float64) (once.Claim, bool, error) {
	return c.claim, id == c.claim.ID && c.claim.At > since, c.err
}

func TestFind(t *testing.T) {
	t.Parallel()
	day := once.Lifetime.Seconds()
	claim := *once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}.Claim("p", "ann", "subject", 100)
	broken := errors.New("no disk")
	tests := []struct {
		name    string
		request once.Request
		user    string
		now     float64
		err     error
		found   bool
		want    error
	}{
		{"the same request", once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}, "ann", 100, nil, true, nil},
		{"just before it expires", once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}, "ann", 99.9 + day, nil, true, nil},
		{"when it has expired", once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}, "ann", 100 + day, nil, false, nil},
		{"another request", once.Request{Key: "k", Fingerprint: once.Fingerprint{2}}, "ann", 100, nil, false, once.ErrReused},
		{"another request when it has expired", once.Request{Key: "k", Fingerprint: once.Fingerprint{2}}, "ann", 100 + day, nil, false, nil},
		{"another key", once.Request{Key: "K", Fingerprint: once.Fingerprint{2}}, "ann", 100, nil, false, nil},
		{"another user", once.Request{Key: "k", Fingerprint: once.Fingerprint{2}}, "bob", 100, nil, false, nil},
		{"no key", once.Request{}, "ann", 100, broken, false, nil},
		{"a store that fails", once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}, "ann", 100, broken, false, broken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, found, err := test.request.Find(t.Context(), claims{claim, test.err}, "p", test.user, test.now)
			require.ErrorIs(t, err, test.want)
			require.Equal(t, test.found, found)
			if found {
				require.Equal(t, claim, got)
			}
		})
	}
	require.Nil(t, once.Request{}.Claim("p", "ann", "subject", 100), "without a key nothing is claimed")
}

func TestGateLetsOneThrough(t *testing.T) {
	t.Parallel()
	var gate once.Gate
	var inside, most atomic.Int64
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() {
			leave, err := gate.Enter(t.Context(), once.ID{Key: "k"})
			if err != nil {
				t.Error(err)
				return
			}
			most.Store(max(most.Load(), inside.Add(1)))
			inside.Add(-1)
			leave()
		})
	}
	all.Wait()
	require.EqualValues(t, 1, most.Load())
}

func TestGateBlocksNobodyElse(t *testing.T) {
	t.Parallel()
	var gate once.Gate
	leave, err := gate.Enter(t.Context(), once.ID{Key: "k"})
	require.NoError(t, err)
	for _, other := range []once.ID{{Key: "K"}, {UserID: "ann", Key: "k"}, {}, {}} {
		_, err := gate.Enter(t.Context(), other)
		require.NoError(t, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = gate.Enter(ctx, once.ID{Key: "k"})
	require.ErrorIs(t, err, context.Canceled)
	leave()
	leave, err = gate.Enter(t.Context(), once.ID{Key: "k"})
	require.NoError(t, err)
	leave()
}
