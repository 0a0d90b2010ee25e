package memory_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
	"github.com/chatsdk/chatsdk/service/internal/queue"
)

func (s *service) detection(caller access.Caller) *wire.MemoryDetection {
	s.t.Helper()
	stats, err := s.Stats(s.t.Context(), caller, "assistant", "")
	require.NoError(s.t, err)
	return stats.Detection
}

// Administrators are told of a detector that fails: since when, how often, and with
// which code and status; the failures are forgotten once it works.
func TestAdministratorsSeeThatDetectionFails(t *testing.T) {
	t.Parallel()
	refused := &fault.Error{Code: wire.CodeProviderFailed, Message: "No", ProviderStatus: 401}
	detector := &asked{Detector: memory.Embedded{}, err: fmt.Errorf("asked: %w", refused)}
	s := start(t, detector, func(c *memory.Config) { c.Fallback = memory.Embedded{} })
	require.Equal(t, &wire.MemoryDetection{Detector: wire.DetectorModel}, s.detection(apiKey))
	s.tell("ann", "assistant", "I live in Oslo, you know.")
	s.tell("bob", "assistant", "I live in Rome, you know.")
	require.NoError(t, s.WorkOff(t.Context()))
	failure := wire.DetectionFailure{Since: noon, Failures: 2, Code: wire.CodeProviderFailed, Status: 401}
	require.Equal(t, &wire.MemoryDetection{Detector: wire.DetectorModel, Waiting: 2, Failure: &failure}, s.detection(review))

	detector.err = errBusy
	for i := range queue.Attempts - 1 {
		s.clock.pass(queue.Delay(i))
		require.NoError(t, s.WorkOff(t.Context()))
	}
	failure = wire.DetectionFailure{Since: noon, Failures: 2 * queue.Attempts, GivenUp: 2, Code: wire.CodeInternal}
	require.Equal(t, &wire.MemoryDetection{Detector: wire.DetectorModel, Failure: &failure}, s.detection(apiKey))
	require.Equal(t, []string{"User lives in Oslo"}, contents(s.of("ann")))

	detector.err = nil
	s.learn("ann", "I have two cats.")
	require.Equal(t, &wire.MemoryDetection{Detector: wire.DetectorModel}, s.detection(apiKey))
}

func TestDetectionIsForAdministratorsOfAWholeAgent(t *testing.T) {
	t.Parallel()
	s := start(t, memory.Embedded{})
	require.Equal(t, &wire.MemoryDetection{Detector: wire.DetectorEmbedded}, s.detection(review))
	require.Nil(t, s.detection(ann))
	stats, err := s.Stats(t.Context(), review, "assistant", "ann")
	require.NoError(t, err)
	require.Nil(t, stats.Detection)
}
