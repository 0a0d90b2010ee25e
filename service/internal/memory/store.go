package memory

import (
	"context"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Store keeps memories, the settings of agents, and the queue of messages to examine. Each method
// is one transaction: it happens as a whole or not at all. Every method is safe for concurrent
// use. Memories are passed as they are stored: AsOf returns their current state. The tests in
// package storetest define what a Store must do.
type Store interface {
	Records
	Settings
	Queue
	once.Store
}

// Records is the part of a Store that keeps memories.
type Records interface {
	// Memories returns the memories that a query selects, newest first. next is the Before of the
	// query for the next page, 0 on the last page.
	Memories(ctx context.Context, query Query) (memories []wire.Memory, next int64, err error)
	// ApprovedMemories returns the memories of an owner that are in use, in the order of their
	// approval.
	ApprovedMemories(ctx context.Context, owner Owner) ([]wire.Memory, error)
	// Memory returns a memory by its id. For an unknown id the error is fault.ErrNotFound.
	Memory(ctx context.Context, projectID, memoryID string) (wire.Memory, error)
	// CountMemories counts the memories of an agent, or of one of its users if UserID is set.
	CountMemories(ctx context.Context, owner Owner, now float64) (wire.MemoryStats, error)
	// ChangeMemories calls decide with the settings of an agent, the pending and approved
	// memories of an owner, and the memory with an id, whatever its status; an empty id selects
	// none. It stores what decide returns. If decide returns an error, nothing is stored, and the
	// error wraps it. If the key is taken, the error is once.ErrTaken.
	ChangeMemories(ctx context.Context, owner Owner, memoryID string, decide func(State) (Changes, error)) error
	// DeleteMemory removes a memory in any state, and keeps hashes and a receipt. It empties the
	// owner's queue.
	DeleteMemory(ctx context.Context, owner Owner, memoryID string, hashes []string, receipt Receipt) error
	// DeleteMemories removes all memories of an owner and the hashes of those that were deleted
	// earlier, and keeps a receipt. It empties the owner's queue, and returns how many memories
	// there were.
	DeleteMemories(ctx context.Context, owner Owner, receipt Receipt) (int, error)
	// Erasures returns the receipts of an agent, newest first. They include receipts of deleted
	// chats: each agent that had memories from a chat gets one. next is as in Memories.
	Erasures(ctx context.Context, projectID, agentID string, page Page) (erasures []wire.Erasure, next int64, err error)
	// AnswersOfMemory returns the answers of the owner's chats that had a memory in their prompt,
	// newest first. next is as in Memories.
	AnswersOfMemory(ctx context.Context, owner Owner, memoryID string, page Page) (answers []wire.MemoryAnswer, next int64, err error)
	// ExpireMemories stores which pending memories have expired. This keeps the lists of pending
	// ones short and changes no answer of the API. It and SweepMemories use several short
	// transactions.
	ExpireMemories(ctx context.Context, now float64) error
	// SweepMemories removes memories that are stored as superseded or expired at this time or
	// earlier.
	SweepMemories(ctx context.Context, before float64) error
}

// Query selects memories. Empty fields don't restrict it.
type Query struct {
	ProjectID string
	// Agents are the ids of agents: nil means all, empty means none.
	Agents []string
	UserID string
	Type   string
	// Status is the status at the time Now.
	Status string
	Now    float64
	// MessageID and ChatID are the source of the memories. At most one of them is set.
	MessageID, ChatID string
	Page
}

// Receipt says who deletes, and when.
type Receipt struct {
	// By is a user's id, or wire.ByAPIKey.
	By string
	At float64
}

// MaxPendingConflicts is how many pending memories that it contradicts Memories returns of a pending
// memory.
const MaxPendingConflicts = 20

// Page is a part of a list. An entry that exists all the time is on exactly one page, even if
// others are added or removed meanwhile.
type Page struct {
	// Before is the position in the order that follows the page; 0 means the newest page.
	Before int64
	// Limit is how many entries a page has; 0 means all.
	Limit int
}

// Newest returns the position that follows every entry of the page.
func (p Page) Newest() int64 {
	if p.Before == 0 {
		return math.MaxInt64
	}
	return p.Before
}

// Placed is an entry of a list with its position in the order.
type Placed[T any] struct {
	Entry    T
	Position int64
}

// CutPage makes a page of at most limit entries from what a Store read, which is one entry more
// if there are more. next is as in Memories.
func CutPage[T any](read []Placed[T], limit int) (page []T, next int64) {
	page = []T{}
	for i, one := range read {
		if i == limit {
			return page, read[i-1].Position
		}
		page = append(page, one.Entry)
	}
	return page, 0
}

// Settings is the part of a Store that keeps the settings of agents.
type Settings interface {
	// MemorySettings returns what was set; settings that were never set are nil.
	MemorySettings(ctx context.Context, projectID, agentID string) (wire.MemorySettings, error)
	// SetMemorySettings sets what is not nil, and returns everything that was ever set. Turning
	// memory off empties the agent's queue, and forgets its failures.
	SetMemorySettings(ctx context.Context, projectID, agentID string, settings wire.MemorySettings) (wire.MemorySettings, error)
}

// Queue is the part of a Store that keeps the messages to examine. A message is queued together
// with being stored: see chat.Turn.
type Queue interface {
	// Jobs returns up to limit messages that are due, the oldest first. A message is due when the
	// earlier ones of its owner are done, and when its own answer has begun or ended.
	Jobs(ctx context.Context, now float64, limit int) ([]Job, error)
	// FinishJob calls detect with the State of a job's owner, stores what it returns, and removes
	// the job from the queue. If the job no longer exists, because its chat or a memory of its
	// owner was deleted or memory was turned off, the error is fault.ErrNotFound, and detect is
	// not called.
	FinishJob(ctx context.Context, job Job, detect func(State) Changes) error
	// PutOff counts a failure of a job, which will be tried again at a time.
	PutOff(ctx context.Context, job Job, due float64) error
	// FailDetection counts a failure of the Detector at a job.
	FailDetection(ctx context.Context, job Job, failure Failure) error
	// Detection returns how many messages of an agent wait, and its failures since FinishJob was
	// last called for a job that was not given up, or since memory was turned off. It doesn't set
	// Detector.
	Detection(ctx context.Context, projectID, agentID string) (wire.MemoryDetection, error)
	// DropJob removes a job from the queue.
	DropJob(ctx context.Context, job Job) error
	// CountJobs returns the length of the queue.
	CountJobs(ctx context.Context) (int, error)
}

// Job is a message to examine.
type Job struct {
	Owner
	MessageID string
	Text      string
	// Failures is how often it has failed.
	Failures int
	// GivenUp reports whether the Detector has failed too often. Stores don't set it.
	GivenUp bool
}

// State is what is known of an owner.
type State struct {
	// Settings are the agent's settings that were set.
	Settings wire.MemorySettings
	// Memories are the pending or approved memories, oldest first, and the requested one.
	Memories []wire.Memory
	// Barred are the memories that a reviewer rejected, in any order. Only FinishJob sets it.
	Barred []wire.Memory
	// Erased are the hashes of deleted memories. Only FinishJob sets it.
	Erased map[string]bool
	// Stored is how many memories there are in any status, and Spent how many of them are stored
	// as superseded or expired. ChangeMemories only sets them if no memory is requested.
	Stored, Spent int
	// Reading was made before; Stores don't set it.
	Reading *Reading
}

// Add adds memories that it doesn't have yet.
func (s *State) Add(memories []wire.Memory) {
	for _, one := range memories {
		if !slices.ContainsFunc(s.Memories, func(other wire.Memory) bool { return other.ID == one.ID }) {
			s.Memories = append(s.Memories, one)
		}
	}
}

// Bytes returns about how many bytes a memory takes.
func Bytes(m wire.Memory) int64 {
	return int64(1<<10 + len(m.MemoryContent) + len(m.OriginalContent) + len(m.TriggeringMessage) + editBytes(m.Edits))
}

// editBytes returns about how many bytes edits take.
func editBytes(edits []wire.MemoryEdit) (bytes int) {
	for _, edit := range edits {
		bytes += len(edit.Text) + len(edit.By)
	}
	return bytes
}
