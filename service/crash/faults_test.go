package crash_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

func pendingMemory(id, content string) wire.Memory {
	return wire.Memory{
		ID: id, UserID: "ann", MemoryContent: content, Status: wire.MemoryPending,
		CreatedAt: 1, UpdatedAt: 1, ExpiresAt: 9, SourceMessageID: "of " + id,
	}
}

func supersededMemory(memory wire.Memory, at float64) wire.Memory {
	memory.Status, memory.RejectReason, memory.RejectedAt, memory.UpdatedAt = wire.MemoryRejected, wire.RejectedSuperseded, at, at
	return memory
}

// approval is the answer to an approval of a memory.
func approval(memory wire.Memory, at float64, superseded ...string) wire.MemoryActionResponse {
	return wire.MemoryActionResponse{Success: true, Memory: decided(memory, wire.ActionApprove, at), Superseded: superseded}
}

// A ledger finds every kind of fault, and accepts every correct outcome.
func TestFaults(t *testing.T) {
	t.Parallel()
	paris, lyon := pendingMemory("p", "User lives in Paris"), pendingMemory("l", "User lives in Lyon")
	approvedParis := decided(paris, wire.ActionApprove, 2)
	approve := func(status int, told wire.MemoryActionResponse) *decision {
		return &decision{action: wire.ActionApprove, memory: paris, sent: true, status: status, told: told}
	}
	remove := func(status int) *decision {
		return &decision{action: actionDelete, memory: paris, sent: true, status: status}
	}
	overParis := func(status int, told wire.MemoryActionResponse) *decision {
		return &decision{action: wire.ActionApprove, memory: lyon, sent: true, status: status, told: told}
	}
	again := paris
	again.ID = "again"
	tests := []struct {
		name       string
		lastListed []wire.Memory
		gone       []wire.Memory
		decisions  []*decision
		listed     []wire.Memory
		want       string // empty: no fault
	}{
		{"nothing happened", []wire.Memory{paris}, nil, nil, []wire.Memory{paris}, ""},
		{"a memory is new", nil, nil, nil, []wire.Memory{paris}, ""},
		{"a memory is lost", []wire.Memory{paris}, nil, nil, nil, "is lost: p of ann"},
		{"it is approved, but nobody approved it", nil, nil, nil, []wire.Memory{approvedParis}, "is impossible: p of ann"},
		{"a confirmed approval is kept", nil, nil, []*decision{approve(200, approval(paris, 2))}, []wire.Memory{approvedParis}, ""},
		{"a confirmed approval is lost", nil, nil, []*decision{approve(200, approval(paris, 2))}, []wire.Memory{paris}, "is impossible: p of ann"},
		{"its approval time changed", []wire.Memory{approvedParis}, nil, nil,
			[]wire.Memory{decided(paris, wire.ActionApprove, 3)}, "is impossible: p of ann"},
		{"an unanswered approval was carried out", []wire.Memory{paris}, nil, []*decision{approve(0, wire.MemoryActionResponse{})},
			[]wire.Memory{approvedParis}, ""},
		{"an unanswered approval was not carried out", []wire.Memory{paris}, nil, []*decision{approve(0, wire.MemoryActionResponse{})},
			[]wire.Memory{paris}, ""},
		{"it is rejected, but nobody rejected it", []wire.Memory{paris}, nil, []*decision{approve(0, wire.MemoryActionResponse{})},
			[]wire.Memory{decided(paris, wire.ActionReject, 2)}, "is impossible: p of ann"},
		{"two approvals were confirmed", nil, nil, []*decision{approve(200, approval(paris, 2)), approve(200, approval(paris, 2))},
			[]wire.Memory{approvedParis}, "was decided twice: p of ann"},
		{"it was approved again after a restart", []wire.Memory{approvedParis}, nil, []*decision{approve(200, approval(paris, 2))},
			[]wire.Memory{approvedParis}, "was decided twice: p of ann"},
		{"an approval was refused as too late, but the memory is pending", []wire.Memory{paris}, nil, []*decision{approve(http.StatusConflict, wire.MemoryActionResponse{})},
			[]wire.Memory{paris}, "was refused as decided already, but the memory is pending: p of ann"},
		{"an approval was refused as unknown, but the memory is listed", []wire.Memory{paris}, nil, []*decision{approve(http.StatusNotFound, wire.MemoryActionResponse{})},
			[]wire.Memory{paris}, "was refused as unknown, but the memory is listed: p of ann"},
		{"a confirmed deletion is kept", []wire.Memory{paris}, nil, []*decision{remove(200)}, nil, ""},
		{"a confirmed deletion is lost", []wire.Memory{paris}, nil, []*decision{remove(200)}, []wire.Memory{paris}, "was deleted, but is listed: p of ann"},
		{"a deleted memory is back", nil, []wire.Memory{paris}, nil, []wire.Memory{paris}, "was deleted, but is listed: p of ann"},
		{"a deleted memory is back under another id", nil, []wire.Memory{paris}, nil, []wire.Memory{again}, "is also stored as p: again of ann"},
		{"a message was stored twice", []wire.Memory{approvedParis}, nil, nil, []wire.Memory{approvedParis, again}, "is also stored as"},
		{"an approval superseded it", []wire.Memory{approvedParis}, nil, []*decision{overParis(200, approval(lyon, 3, "p"))},
			[]wire.Memory{supersededMemory(approvedParis, 3), decided(lyon, wire.ActionApprove, 3)}, ""},
		{"half of a confirmed approval is lost", []wire.Memory{approvedParis}, nil, []*decision{overParis(200, approval(lyon, 3, "p"))},
			[]wire.Memory{approvedParis, decided(lyon, wire.ActionApprove, 3)}, "is impossible: p of ann"},
		{"only the first half of an unanswered approval", []wire.Memory{approvedParis}, nil, []*decision{overParis(0, wire.MemoryActionResponse{})},
			[]wire.Memory{approvedParis, decided(lyon, wire.ActionApprove, 3)}, "contradicts another approved memory"},
		{"only the second half of an unanswered approval", []wire.Memory{approvedParis}, nil, []*decision{overParis(0, wire.MemoryActionResponse{})},
			[]wire.Memory{supersededMemory(approvedParis, 3), lyon}, "is impossible: p of ann"},
		{"two approvals superseded it", []wire.Memory{approvedParis}, nil,
			[]*decision{overParis(200, approval(lyon, 3, "p")), {action: wire.ActionApprove, memory: again, status: 200, told: approval(again, 3, "p")}},
			[]wire.Memory{supersededMemory(approvedParis, 3), decided(lyon, wire.ActionApprove, 3)}, "was superseded twice: p of ann"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			l := newLedger()
			l.lastListed, l.gone, l.decisions = byID(test.lastListed), byID(test.gone), test.decisions
			faults := l.compare(byID(test.listed))
			if test.want == "" {
				require.Empty(t, faults)
				return
			}
			require.Contains(t, strings.Join(faults, "\n"), test.want)
		})
	}
}

func byID(memories []wire.Memory) map[string]wire.Memory {
	all := map[string]wire.Memory{}
	for _, memory := range memories {
		all[memory.ID] = memory
	}
	return all
}

func TestUnexaminedMessages(t *testing.T) {
	t.Parallel()
	const text = "I work at Tusanox, and I like the music of Bakorux."
	work, music := pendingMemory("w", "User works at Tusanox"), pendingMemory("m", "User likes the music of Bakorux")
	work.SourceMessageID, music.SourceMessageID = "id", "id"
	tests := []struct {
		name         string
		message      message
		listed       []wire.Memory
		gone         []wire.Memory
		queueIsEmpty bool
		want         string // empty: no fault
	}{
		{"both memories are there", message{}, []wire.Memory{work, music}, nil, true, ""},
		{"one was deleted", message{}, []wire.Memory{work}, []wire.Memory{music}, true, ""},
		{"it is in the queue", message{}, nil, nil, false, ""},
		{"it was never examined", message{}, nil, nil, true, "was never examined"},
		{"a deletion may have dropped it", message{excused: true}, nil, nil, true, ""},
		{"one of its two memories is missing", message{excused: true}, []wire.Memory{work}, nil, false, "gave"},
		{"one is there twice", message{}, []wire.Memory{work, music, {ID: "x", MemoryContent: work.MemoryContent, SourceMessageID: "id"}},
			nil, false, "gave"},
		{"both memories were there before", message{settled: true}, nil, nil, false, "lost its memories"},
		{"a memory of an unknown message", message{}, []wire.Memory{pendingMemory("p", "User lives in Paris")}, nil, false, "which nobody sent"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.message.id, test.message.text = "id", text
			l := newLedger()
			l.messages, l.gone = []*message{&test.message}, byID(test.gone)
			faults := l.examined(byID(test.listed), test.queueIsEmpty)
			if test.want == "" {
				require.Empty(t, faults)
				return
			}
			require.Len(t, faults, 1)
			require.Contains(t, faults[0], test.want)
		})
	}
}
