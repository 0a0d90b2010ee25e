package stream

// Kind is what a Hint says.
type Kind byte

const (
	// Changed says that the log has more events, or was deleted.
	Changed Kind = 'c'
	// Stop says that the log is to be ended with the events that it has.
	Stop Kind = 's'
	// Deleted says that the chat was deleted with its logs.
	Deleted Kind = 'd'
)

// Hint tells other replicas what one replica has done. A hint may get lost, so whoever waits also
// polls the Store.
type Hint struct {
	Kind Kind
	// ID identifies a stream; with Deleted it identifies a chat.
	ID string
}

// Hear handles a hint of another replica.
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

// Lost ends the writer of a log that somebody else writes, or has ended. Readers continue with
// the events of the Store.
func (l *Logs) Lost(streamID string) {
	l.end(streamID, ErrTaken)
	l.Wake(streamID)
}

// Writing returns the logs that have a Writer here, whether or not it has stored anything.
func (l *Logs) Writing() (streamIDs []string) {
	for _, w := range l.writers() {
		streamIDs = append(streamIDs, w.lease.StreamID)
	}
	return streamIDs
}

// Begun returns the logs whose Writer here has stored events.
func (l *Logs) Begun() (streamIDs []string) {
	for _, w := range l.writers() {
		if w.begun.Load() {
			streamIDs = append(streamIDs, w.lease.StreamID)
		}
	}
	return streamIDs
}

// Following returns the logs that are read here and written elsewhere, each with the id of the
// last event that is known here.
func (l *Logs) Following() map[string]int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]int64{}
	for id, t := range l.tails {
		if last, follows := t.follows(); follows {
			all[id] = last
		}
	}
	return all
}

func (t *tail) follows() (last int64, follows bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.last, t.writer == nil && t.over == nil
}

// Leave disconnects the readers of logs that are written elsewhere: they can continue at another
// replica.
func (l *Logs) Leave() {
	l.leaving.Store(true)
	for _, t := range l.all() {
		t.mu.Lock()
		t.wake()
		t.mu.Unlock()
	}
}
