package sdk

import "sync"

// followed are the answers that a client reads, and what it does for their calls.
type followed struct {
	mu       sync.Mutex
	sessions map[*session]bool
	carried  map[string]bool // calls that it is about to carry out, or does, and whether they were approved again since
	refused  map[string]bool // calls that it may not carry out, whatever becomes of them
	sent     map[string]bool // parked answers to what it sent, by the id of their message
}

func newFollowed() followed {
	return followed{sessions: map[*session]bool{}, carried: map[string]bool{}, refused: map[string]bool{}, sent: map[string]bool{}}
}

// begin has an answer followed until end is called.
func (f *followed) begin(s *session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sessions[s] = true
}

func (f *followed) end(s *session) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.sessions, s)
	if s.request != nil && s.parked() {
		f.sent[s.messageID] = true
	}
}

// asked tells whether the message answers a question of this client's own.
func (f *followed) asked(messageID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[messageID]
}

// ask remembers that it does.
func (f *followed) ask(messageID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent[messageID] = true
}

// all are the answers that are followed now.
func (f *followed) all() []*session {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*session
	for s := range f.sessions {
		all = append(all, s)
	}
	return all
}

// status is the status of a call in an answer that is followed, empty for an unknown call.
func (f *followed) status(callID string) string {
	for _, s := range f.all() {
		if status := s.status(callID); status != "" {
			return status
		}
	}
	return ""
}

// take lets one carry the call out, unless it was refused. Who comes too late is heard by drop.
func (f *followed) take(callID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.refused[callID] {
		return false
	}
	_, taken := f.carried[callID]
	f.carried[callID] = taken
	return !taken
}

// waits tells whether nobody has taken the call, and somebody may.
func (f *followed) waits(callID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, taken := f.carried[callID]
	return !taken && !f.refused[callID]
}

// refuse has the call carried out by others alone.
func (f *followed) refuse(callID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused[callID] = true
}

// drop tells whether somebody came too late, and else lets the next one take the call.
func (f *followed) drop(callID string) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	again = f.carried[callID]
	if delete(f.carried, callID); again {
		f.carried[callID] = false
	}
	return again
}

// postsFor closes the readings of the call's answer, where it is followed, so that what is
// posted for the call need not wait for a connection. When that is done the caller tells
// whether the calls may be others now.
func (c *Client) postsFor(callID string) (done func(news bool)) {
	var closed []*session
	for _, s := range c.followed.all() {
		if s.post(callID) {
			closed = append(closed, s)
		}
	}
	return func(news bool) {
		for _, s := range closed {
			s.posted()
			if news {
				s.ask()
			}
		}
	}
}
