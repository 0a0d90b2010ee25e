package stream

// Kind is what a Hint tells.
type Kind byte

const (
	// Changed is a log that has more events, or that is no longer there.
	Changed Kind = 'c'
	// Stop is a log that is to be ended with what there is.
	Stop Kind = 's'
	// Deleted is a chat that was deleted with its logs.
	Deleted Kind = 'd'
)

// Hint tells other replicas what one has done. A hint may get lost: who waits asks the
// Store too, now and then.
type Hint struct {
	Kind Kind
	// ID is a stream's; with Deleted it is a chat's.
	ID string
}

// Hear takes a hint of another replica.
func (l *Logs) Hear(hint Hint) {
	switch hint.Kind {
	case Changed:
		l.Wake(hint.ID)
	case Stop:
		l.end(hint.ID, ErrStopped)
	case Deleted:
		l.endChat(hint.ID)
	}
}

// Lost ends the writer of a log that somebody else writes, or has ended. Readers go
// on with what the Store has.
func (l *Logs) Lost(streamID string) {
	l.end(streamID, ErrTaken)
	l.Wake(streamID)
}

// Writing are the logs that have a Writer here, whether or not anything of them is
// stored.
func (l *Logs) Writing() (streamIDs []string) {
	for _, w := range l.writers() {
		streamIDs = append(streamIDs, w.lease.StreamID)
	}
	return streamIDs
}

// Begun are the logs that have a Writer here which has stored events.
func (l *Logs) Begun() (streamIDs []string) {
	for _, w := range l.writers() {
		if w.begun.Load() {
			streamIDs = append(streamIDs, w.lease.StreamID)
		}
	}
	return streamIDs
}

// Following are the logs that are read here and written elsewhere, each with the id of
// the last event that a reader here has got.
func (l *Logs) Following() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]int64{}
	for id, t := range l.tails {
		if known, follows := t.follows(); follows {
			all[id] = known
		}
	}
	return all
}

func (t *tail) follows() (known int64, follows bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.known, t.writer == nil
}

// Leave lets go of the readers of logs that are written elsewhere: they may read on at
// another replica.
func (l *Logs) Leave() {
	l.leaving.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, t := range l.tails {
		t.mu.Lock()
		t.wake()
		t.mu.Unlock()
	}
}

// mayFollow tells whether a reader may wait for a log that is written elsewhere.
func (l *Logs) mayFollow(t *tail) bool {
	if !l.leaving.Load() {
		return true
	}
	_, follows := t.follows()
	return !follows
}
