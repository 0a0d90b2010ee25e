package stream

// Held returns the events of a log that are in memory.
func (l *Logs) Held(streamID string) []Event {
	t := l.find(streamID)
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.events
}
