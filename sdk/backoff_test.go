package sdk_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// js/test/backoff.test.mjs runs the same file.
func TestTheWaitsAreSpread(t *testing.T) {
	t.Parallel()
	for _, vector := range readVectors[struct {
		Name       string
		RetryDelay *int
		Longest    []time.Duration
	}](t, "backoff.json") {
		t.Run(vector.Name, func(t *testing.T) {
			config := retryConfig()
			config.MaxRetries, config.RetryDelay = len(vector.Longest), 0
			if own := vector.RetryDelay; own != nil {
				config.RetryDelay = time.Duration(*own) * time.Millisecond
				if *own == 0 {
					config.RetryDelay = -1
				}
			}
			seen := make([]time.Duration, len(vector.Longest))
			for range 100 {
				synctest.Test(t, func(t *testing.T) {
					var replies []reply
					for range len(seen) + 1 {
						replies = append(replies, proxied(503))
					}
					client, script := open(t, config, replies...)
					require.Error(t, calls()["listChats"](t.Context(), client))
					for i, wait := range script.waits() {
						require.LessOrEqual(t, wait, vector.Longest[i]*time.Millisecond)
						seen[i] = max(seen[i], wait)
					}
				})
			}
			for i, most := range seen {
				require.GreaterOrEqual(t, most, vector.Longest[i]*time.Millisecond/2, "wait %d", i)
			}
		})
	}
}
