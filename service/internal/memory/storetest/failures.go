package storetest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

var failureRules = []rule{
	{"failures of an agent are counted until a message is examined", failuresCounted},
	{"messages of an agent that wait are counted", waitingCounted},
	{"turning memory off forgets its failures", failuresForgotten},
}

func detection(t *testing.T, store Store, owner memory.Owner) wire.MemoryDetection {
	t.Helper()
	got, err := store.Detection(t.Context(), owner.ProjectID, owner.AgentID)
	require.NoError(t, err)
	return got
}

func fail(t *testing.T, store Store, job memory.Job, failure memory.Failure) {
	t.Helper()
	require.NoError(t, store.FailDetection(t.Context(), job, failure))
}

func finish(t *testing.T, store Store, job memory.Job) {
	t.Helper()
	require.NoError(t, store.FinishJob(t.Context(), job, found()))
}

func failuresCounted(t *testing.T, store Store) {
	queue(t, store, ann, "one", "two")
	queue(t, store, bob, "three")
	queue(t, store, annOther, "four")
	require.Equal(t, wire.MemoryDetection{Waiting: 3}, detection(t, store, ann))
	fail(t, store, job(ann, "one"), memory.Failure{At: 100, Code: wire.CodeProviderTimeout})
	fail(t, store, job(bob, "three"), memory.Failure{At: 200, Code: wire.CodeProviderFailed, Status: 401})
	want := wire.DetectionFailure{Since: 100, Failures: 2, Code: wire.CodeProviderFailed, Status: 401}
	require.Equal(t, wire.MemoryDetection{Waiting: 3, Failure: &want}, detection(t, store, ann))
	require.Equal(t, wire.MemoryDetection{Waiting: 1}, detection(t, store, annOther), "of another agent")
	require.Equal(t, wire.MemoryDetection{}, detection(t, store, annAbroad), "of another project")

	given := job(ann, "one")
	given.GivenUp = true
	fail(t, store, given, memory.Failure{At: 300, Code: wire.CodeUnavailable, Status: 429})
	finish(t, store, given)
	want = wire.DetectionFailure{Since: 100, Failures: 3, GivenUp: 1, Code: wire.CodeUnavailable, Status: 429}
	require.Equal(t, wire.MemoryDetection{Waiting: 2, Failure: &want}, detection(t, store, ann), "the fallback examined it")
	require.ErrorIs(t, store.FinishJob(t.Context(), job(ann, "one"), found()), fault.ErrNotFound)
	require.NotNil(t, detection(t, store, ann).Failure, "nothing was examined")
	finish(t, store, job(annOther, "four"))
	require.NotNil(t, detection(t, store, ann).Failure, "another agent's")

	finish(t, store, job(ann, "two"))
	require.Equal(t, wire.MemoryDetection{Waiting: 1}, detection(t, store, ann))
	fail(t, store, job(bob, "three"), memory.Failure{At: 400, Code: wire.CodeInternal})
	want = wire.DetectionFailure{Since: 400, Failures: 1, Code: wire.CodeInternal}
	require.Equal(t, wire.MemoryDetection{Waiting: 1, Failure: &want}, detection(t, store, ann), "they count again")
}

func waitingCounted(t *testing.T, store Store) {
	queue(t, store, ann, "one", "two")
	begin(t, store, scopeOf(bob), turn("chat-three", "three"))
	require.Equal(t, 3, detection(t, store, ann).Waiting, "one waits for its answer")
	require.NoError(t, store.DeleteChat(t.Context(), scopeOf(ann), "chat-two", 1))
	require.Equal(t, 2, detection(t, store, ann).Waiting)
	require.NoError(t, store.DropJob(t.Context(), job(ann, "one")))
	require.Equal(t, 1, detection(t, store, ann).Waiting)
}

func failuresForgotten(t *testing.T, store Store) {
	on, off := true, false
	queue(t, store, ann, "one")
	queue(t, store, annOther, "two")
	fail(t, store, job(ann, "one"), memory.Failure{At: 100, Code: wire.CodeProviderFailed})
	fail(t, store, job(annOther, "two"), memory.Failure{At: 100, Code: wire.CodeProviderFailed})
	set := func(enabled *bool) {
		_, err := store.SetMemorySettings(t.Context(), "project", "assistant", wire.MemorySettings{MemoryEnabled: enabled})
		require.NoError(t, err)
	}
	set(&on)
	require.NotNil(t, detection(t, store, ann).Failure)
	set(&off)
	require.Equal(t, wire.MemoryDetection{}, detection(t, store, ann))
	require.NotNil(t, detection(t, store, annOther).Failure)
}
