package memory_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

// asked is a detector that fails or finds, and records its requests.
type asked struct {
	memory.Detector
	err   error
	times int
	types []string
}

func (a *asked) Detect(ctx context.Context, message string, types []string) ([]memory.Finding, error) {
	a.times, a.types = a.times+1, types
	if a.err != nil {
		return nil, a.err
	}
	return a.Detector.Detect(ctx, message, types)
}

// A message at which the detector fails for good is examined by the fallback,
// each failure is counted, and the log has the reason.
func TestTheFallbackExaminesWhatFails(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fallback *asked
		want     []string
		fellBack int
		log      string
	}{
		"one that finds": {&asked{Detector: memory.Embedded{}}, []string{"User lives in Oslo"}, 1, "examined by other means"},
		"one that fails": {&asked{err: errBusy}, []string{}, 1, "given up"},
		"none":           {nil, []string{}, 0, "given up"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			failed, fellBack := 0, 0
			s := start(t, &asked{err: errBusy}, func(c *memory.Config) {
				c.Failed, c.FellBack = func() { failed++ }, func() { fellBack++ }
				if test.fallback != nil {
					c.Fallback = test.fallback
				}
			})
			s.tell("ann", "assistant", "I live in Oslo, you know.")
			for i := range queue.Attempts - 1 {
				require.NoError(t, s.WorkOff(t.Context()))
				require.Equal(t, i+1, failed)
				require.Empty(t, s.of("ann"), "it may yet work")
				s.clock.pass(queue.Delay(i))
			}
			require.NoError(t, s.WorkOff(t.Context()))
			require.Equal(t, queue.Attempts, failed)
			require.Equal(t, test.fellBack, fellBack)
			require.Equal(t, test.want, contents(s.of("ann")))
			require.Zero(t, s.backlog())
			require.Contains(t, s.log.String(), test.log)
			require.Contains(t, s.log.String(), errBusy.Error())
			require.NotContains(t, s.log.String(), "Oslo")
		})
	}
}

// A detector is asked for the types that are set, and not at all if there are
// none.
func TestADetectorIsAskedForTheTypesThatAreSet(t *testing.T) {
	t.Parallel()
	all := []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}
	for name, test := range map[string]struct {
		settings wire.MemorySettings
		times    int
		types    []string
	}{
		"nothing set": {wire.MemorySettings{}, 1, all},
		"all":         {wire.MemorySettings{MemoryTypes: all}, 1, all},
		"one":         {wire.MemorySettings{MemoryTypes: []string{wire.MemoryFact}}, 1, []string{wire.MemoryFact}},
		"none":        {wire.MemorySettings{MemoryTypes: []string{}}, 0, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			detector := &asked{Detector: memory.Embedded{}}
			s := start(t, detector)
			s.set(test.settings)
			s.tell("ann", "assistant", "I live in Oslo, you know.")
			require.NoError(t, s.WorkOff(t.Context()))
			require.Equal(t, test.times, detector.times)
			require.Equal(t, test.types, detector.types)
			require.Len(t, s.of("ann"), test.times)
			require.Zero(t, s.backlog())
		})
	}
}
