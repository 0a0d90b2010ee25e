package once_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/chatsdk/chatsdk/service/internal/once"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// keys is a Store that holds one used key.
type keys struct {
	used once.UsedKey
	err  error
}

func (c keys) UsedKey(_ context.Context, id once.ID, since float64) (once.UsedKey, bool, error) {
	return c.used, id == c.used.ID && c.used.At > since, c.err
}

func TestFind(t *testing.T) {
	t.Parallel()
	day := once.Lifetime.Seconds()
	used := *once.Request{Key: "k", Fingerprint: once.Fingerprint{1}}.Use("p", "ann", "subject", 100)
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
			got, found, err := test.request.Find(t.Context(), keys{used, test.err}, "p", test.user, test.now)
			require.ErrorIs(t, err, test.want)
			require.Equal(t, test.found, found)
			if found {
				require.Equal(t, used, got)
			}
		})
	}
	require.Nil(t, once.Request{}.Use("p", "ann", "subject", 100), "without a key nothing is claimed")
}
