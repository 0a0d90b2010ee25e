package memory

import (
	"context"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Store keeps memories, the settings of agents, and the queue of messages to
// examine. Each method is one transaction: it happens whole or not at all.
// Every method is safe for concurrent use. Memories are given and taken as they
// were stored: AsOf tells what they are now. Package storetest says in tests
// what a Store must do.
type Store interface {
	Records
	Settings
	Queue
	once.Store
}

// Records is the part of a Store that keeps memories.
type Records interface {
	// Memories gives what a query asks for, newest first. next is the Before of the
	// query for the page that follows, 0 on the last page.
	Memories(ctx context.Context, query Query) (memories []wire.Memory, next int64, err error)
	// ApprovedMemories gives the memories of an owner that are in use, in the
	// order of their approval.
	ApprovedMemories(ctx context.Context, owner Owner) ([]wire.Memory, error)
	// Memory gives one by its id. An unknown one is fault.ErrNotFound.
	Memory(ctx context.Context, projectID, memoryID string) (wire.Memory, error)
	// CountMemories counts the memories of an agent, or of one user of it
	// where UserID is set.
	CountMemories(ctx context.Context, owner Owner, now float64) (wire.MemoryStats, error)
	// ChangeMemories hands the settings of an agent to decide, with the pending and
	// approved memories of an owner and the one with an id, whatever its status; an
	// empty id is none. It stores what decide gives. Where decide gives an error nothing
	// is stored, and the error wraps it. A claim on a key that is taken is once.ErrTaken.
	ChangeMemories(ctx context.Context, owner Owner, memoryID string, decide func(State) (Changes, error)) error
	// DeleteMemory removes a memory in any state, and keeps marks and a receipt. It
	// empties the owner's queue.
	DeleteMemory(ctx context.Context, owner Owner, memoryID string, marks []string, receipt Receipt) error
	// DeleteMemories removes all memories of an owner, and the marks of those
	// that were deleted before, and keeps a receipt. It empties the owner's queue, and
	// tells how many memories there were.
	DeleteMemories(ctx context.Context, owner Owner, receipt Receipt) (int, error)
	// Erasures gives the receipts of an agent, newest first, those of deleted chats
	// included: of each agent that had memories from such a chat. next is as in Memories.
	Erasures(ctx context.Context, projectID, agentID string, page Page) (erasures []wire.Erasure, next int64, err error)
	// AnswersOfMemory gives the answers of the owner's chats that had a memory in their
	// prompt, newest first. next is as in Memories.
	AnswersOfMemory(ctx context.Context, owner Owner, memoryID string, page Page) (answers []wire.MemoryAnswer, next int64, err error)
	// ExpireMemories writes down which pending memories have expired. It keeps
	// the lists of pending ones short and changes nothing that is told. It and
	// SweepMemories are several transactions, none of which is long.
	ExpireMemories(ctx context.Context, now float64) error
	// SweepMemories removes the memories that are stored as superseded or expired
	// and became so up to a time.
	SweepMemories(ctx context.Context, before float64) error
}

// Query says which memories are wanted. Fields that are empty don't narrow.
type Query struct {
	ProjectID string
	// Agents are the ids of agents: nil means all, empty means none.
	Agents []string
	UserID string
	Type   string
	// Status counts as of Now.
	Status string
	Now    float64
	// MessageID and ChatID are what the memories came from. One at most is set.
	MessageID, ChatID string
	Page
}

// Receipt says who deletes, and when.
type Receipt struct {
	// By is a user's id, or wire.ByAPIKey.
	By string
	At float64
}

// Page is a part of a list. What is there all the while is in exactly one
// page, whatever is added or removed meanwhile.
type Page struct {
	// Before is the place in the order that the page stands before; 0 means the
	// newest page.
	Before int64
	// Limit is how many entries a page has; 0 means all.
	Limit int
}

// Newest is the place that every entry of the page stands before.
func (p Page) Newest() int64 {
	if p.Before == 0 {
		return math.MaxInt64
	}
	return p.Before
}

// Placed is an entry of a list with its place in the order.
type Placed[T any] struct {
	Entry    T
	Position int64
}

// CutPage makes a page of so many entries at most of what a Store read, which is one
// more where there is one. next is as in Memories.
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
	// MemorySettings gives what was set; what never was is nil.
	MemorySettings(ctx context.Context, projectID, agentID string) (wire.MemorySettings, error)
	// SetMemorySettings sets what is not nil and gives all that was ever set.
	// Turning memory off empties the agent's queue, and forgets the failures there.
	SetMemorySettings(ctx context.Context, projectID, agentID string, settings wire.MemorySettings) (wire.MemorySettings, error)
}

// Queue is the part of a Store that keeps the messages to examine. They are
// put into it with the message itself: see chat.Turn.
type Queue interface {
	// Jobs gives up to limit messages that are due, first come first. An
	// owner's next one is due when the one before is done, and none before its
	// answer has begun or ended.
	Jobs(ctx context.Context, now float64, limit int) ([]Job, error)
	// FinishJob hands all of the State of a job's owner to detect, stores what
	// it gives, and takes the job from the queue. A job that is gone, because its chat or a memory of its
	// owner was deleted, or memory was turned off, is fault.ErrNotFound, and detect
	// is not called.
	FinishJob(ctx context.Context, job Job, detect func(State) Changes) error
	// PutOff counts a failure of a job that is tried again at a time.
	PutOff(ctx context.Context, job Job, due float64) error
	// FailDetection counts a failure of the Detector at a job.
	FailDetection(ctx context.Context, job Job, failure Failure) error
	// Detection tells how many messages of an agent wait, and of its failures since
	// FinishJob was last called for a job that was not given up, or memory turned off. It
	// leaves Detector empty.
	Detection(ctx context.Context, projectID, agentID string) (wire.MemoryDetection, error)
	// DropJob takes a job from the queue.
	DropJob(ctx context.Context, job Job) error
	// CountJobs tells how long the queue is.
	CountJobs(ctx context.Context) (int, error)
}

// Job is a message to examine.
type Job struct {
	Owner
	MessageID string
	Text      string
	// Failures is how often it was tried in vain.
	Failures int
	// GivenUp tells that the Detector has failed at it too often. No Store fills it.
	GivenUp bool
}

// State is what is known of an owner.
type State struct {
	// Settings are those of the agent as they were set.
	Settings wire.MemorySettings
	// Memories are those that are pending or approved, oldest first, and the one that
	// was asked for.
	Memories []wire.Memory
	// Barred are those that a reviewer rejected, in any order. FinishJob alone
	// fills it.
	Barred []wire.Memory
	// Erased are the marks of what was deleted. FinishJob alone fills it.
	Erased map[string]bool
	// Stored is how many memories there are in every status, and Spent how many
	// of them are stored as superseded or expired. ChangeMemories fills them where it is asked
	// for no memory.
	Stored, Spent int
	// Reading is what was read before; no Store fills it.
	Reading *Reading
}

// Add adds memories that are not there yet.
func (s *State) Add(memories []wire.Memory) {
	for _, one := range memories {
		if !slices.ContainsFunc(s.Memories, func(other wire.Memory) bool { return other.ID == one.ID }) {
			s.Memories = append(s.Memories, one)
		}
	}
}
