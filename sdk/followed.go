package sdk

import "sync"

// followed holds the answers that a client reads, and the calls that it carries out for them.
type followed struct {
	mu       sync.Mutex
	sessions map[*session]bool
	carried  map[string]bool // calls that it carries out or is about to, and whether they were approved again since
	refused  map[string]bool // calls that it may never carry out
	sent     map[string]bool // ids of the parked answers to messages that it sent
}

func newFollowed() followed {
	return followed{sessions: map[*session]bool{}, carried: map[string]bool{}, refused: map[string]bool{}, sent: map[string]bool{}}
}

// begin adds an answer; end removes it.
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

// asked reports whether the answer is to a question of this client.
func (f *followed) asked(messageID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.sent[messageID]
}

// ask remembers that the answer is to a question of this client.
func (f *followed) ask(messageID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sent[messageID] = true
}

// all returns the answers that are followed now.
func (f *followed) all() []*session {
	f.mu.Lock()
	defer f.mu.Unlock()
	var all []*session
	for s := range f.sessions {
		all = append(all, s)
	}
	return all
}

// status returns the status of a call in a followed answer, empty for an unknown call.
func (f *followed) status(callID string) string {
	for _, s := range f.all() {
		if status := s.status(callID); status != "" {
			return status
		}
	}
	return ""
}

// take reports whether the caller may carry out the call: it was not refused, and nobody has taken
// it. If somebody has, their drop reports this take.
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

// waits reports whether the call may be taken and nobody has taken it.
func (f *followed) waits(callID string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, taken := f.carried[callID]
	return !taken && !f.refused[callID]
}

// refuse leaves the call to others for good.
func (f *followed) refuse(callID string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.refused[callID] = true
}

// drop reports whether take was called for the call meanwhile; if so, the caller keeps the call.
// Otherwise the next take gets it.
func (f *followed) drop(callID string) (again bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	again = f.carried[callID]
	if delete(f.carried, callID); again {
		f.carried[callID] = false
	}
	return again
}

// postsFor closes the connections that read the call's answer, so that a request for the call need
// not wait for a free connection. The caller calls done when the request has ended, and says whether
// the calls may have changed.
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
