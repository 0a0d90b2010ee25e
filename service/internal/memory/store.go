package memory

import (
	"context"

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
	// ChangeMemories hands the settings of an agent and the pending and
	// approved memories of an owner to decide, and stores what it gives. Where
	// decide gives an error nothing is stored, and the error wraps it. A claim
	// on a key that is taken is once.ErrTaken.
	ChangeMemories(ctx context.Context, owner Owner, decide func(State) (Changes, error)) error
	// DeleteMemory removes a memory in any state and keeps its marks. It empties
	// the owner's queue.
	DeleteMemory(ctx context.Context, owner Owner, memoryID string, marks Marks) error
	// DeleteMemories removes all memories of an owner, and the marks of those
	// that were deleted before. It empties the owner's queue, and tells how
	// many memories there were.
	DeleteMemories(ctx context.Context, owner Owner) (int, error)
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
	// Agents are the ids of agents: nil is all, empty is none.
	Agents []string
	UserID string
	Type   string
	// Status counts as of Now.
	Status string
	Now    float64
	Page
}

// Page is a part of a list. A memory that is there all the while is in exactly one
// page, whatever is added or removed meanwhile.
type Page struct {
	// Before is the place in the order that the page stands before; 0 is the
	// newest page.
	Before int64
	// Limit is how many memories a page has; 0 is all.
	Limit int
}

// Settings is the part of a Store that keeps the settings of agents.
type Settings interface {
	// MemorySettings gives what was set; what never was is nil.
	MemorySettings(ctx context.Context, projectID, agentID string) (wire.MemorySettings, error)
	// SetMemorySettings sets what is not nil and gives all that was ever set.
	// Turning memory off empties the agent's queue.
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
}

// State is what is known of an owner.
type State struct {
	// Settings are those of the agent as they were set.
	Settings wire.MemorySettings
	// Memories are those that are pending or approved, oldest first.
	Memories []wire.Memory
	// Barred are those that a reviewer rejected, in any order. FinishJob alone
	// fills it.
	Barred []wire.Memory
	// Erased are the marks of what was deleted. FinishJob alone fills it.
	Erased map[string]bool
	// Stored is how many memories there are in every status, and Spent how many
	// of them are stored as superseded or expired. FinishJob alone fills them.
	Stored, Spent int
	// Reading is what was read before; no Store fills it.
	Reading *Reading
}
