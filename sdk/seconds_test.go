package sdk

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
)

func TestSecondsAreWholeMilliseconds(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{
		"1": time.Second, "1.5": 1500 * time.Millisecond, "0.001": time.Millisecond, "3600": time.Hour, "12.0304": 12030 * time.Millisecond,
		"0.25": 250 * time.Millisecond, "2.005": 2005 * time.Millisecond,
		"-1": 0, "1e3": 0, "1.5e3": 0, `"1"`: 0, "null": 0, "": 0, "99999999999": 0,
	} {
		require.Equal(t, want, secondsOf(jsontext.Value(text)), text)
	}
	for seconds, want := range map[float64]string{1: "1", 1.5: "1.5", 0.001: "0.001", 3600: "3600", 0.25: "0.25", 2.005: "2.005", 12.03: "12.03"} {
		require.Equal(t, want, string(appendSeconds(nil, seconds)))
		require.InDelta(t, seconds, secondsOf(jsontext.Value(want)).Seconds(), 1e-9)
	}
}
