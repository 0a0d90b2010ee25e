package httpapi

import "context"

// Removals say when deleted things have left the disk. Each method returns soon unless much text of its kind
// waits for that, within a bound, and when the context ends.
type Removals interface {
	ChatsRemoved(context.Context)
	DocumentsRemoved(context.Context)
	MemoriesRemoved(context.Context)
}

// noRemovals is for a database that promises no time.
type noRemovals struct{}

func (noRemovals) ChatsRemoved(context.Context)     {}
func (noRemovals) DocumentsRemoved(context.Context) {}
func (noRemovals) MemoriesRemoved(context.Context)  {}
