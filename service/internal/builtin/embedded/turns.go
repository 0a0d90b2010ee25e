package embedded

import (
	"context"
	"slices"
	"sync"
)

// Turns lets a number of prompts be read at the same time. Those that wait go user by user: next comes the
// user of whom the fewest prompts are being read, and among these the one who has waited longest since
// the last. So a user with many prompts holds up another one only until a prompt that is being read
// is done. Make it with NewTurns. It is safe for concurrent use.
type Turns struct {
	mu   sync.Mutex
	free int
	// reading is how many prompts of each user are being read.
	reading map[string]int
	// waiting are the users who wait, in the order of their turns.
	waiting []*waiting
}

// waiting is a user with prompts that wait, the oldest first. A channel is closed when its prompt may be read.
type waiting struct {
	user    string
	prompts []chan struct{}
}

// NewTurns returns Turns for this many prompts at once.
func NewTurns(atOnce int) *Turns {
	return &Turns{free: atOnce, reading: map[string]int{}}
}

// take waits for the turn of a user's prompt. The caller calls leave when the prompt is read. If ctx ends first,
// the error is ctx's, and there is nothing to leave.
func (t *Turns) take(ctx context.Context, user string) error {
	turn := t.join(user)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	if !t.withdraw(user, turn) {
		t.leave(user) // its turn came at the same time
	}
	return ctx.Err()
}

// join puts a prompt behind those of its user that wait.
func (t *Turns) join(user string) (turn chan struct{}) {
	t.mu.Lock()
	defer t.mu.Unlock()
	turn = make(chan struct{})
	if i := t.indexOf(user); i >= 0 {
		t.waiting[i].prompts = append(t.waiting[i].prompts, turn)
	} else {
		t.waiting = append(t.waiting, &waiting{user, []chan struct{}{turn}})
	}
	t.advance()
	return turn
}

// leave says that a prompt of a user is read.
func (t *Turns) leave(user string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.free++
	if t.reading[user]--; t.reading[user] == 0 {
		delete(t.reading, user)
	}
	t.advance()
}

// advance begins as many prompts as there are free turns.
func (t *Turns) advance() {
	for t.free > 0 && len(t.waiting) > 0 {
		next := 0
		for i, one := range t.waiting {
			if t.reading[one.user] < t.reading[t.waiting[next].user] {
				next = i
			}
		}
		one := t.waiting[next]
		t.waiting = slices.Delete(t.waiting, next, next+1)
		close(one.prompts[0])
		t.free--
		t.reading[one.user]++
		if one.prompts = one.prompts[1:]; len(one.prompts) > 0 {
			t.waiting = append(t.waiting, one)
		}
	}
}

// withdraw removes a prompt that waits, and reports whether it still did.
func (t *Turns) withdraw(user string, turn chan struct{}) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := t.indexOf(user)
	if i < 0 {
		return false
	}
	one := t.waiting[i]
	at := slices.Index(one.prompts, turn)
	if at < 0 {
		return false
	}
	if one.prompts = slices.Delete(one.prompts, at, at+1); len(one.prompts) == 0 {
		t.waiting = slices.Delete(t.waiting, i, i+1)
	}
	return true
}

func (t *Turns) indexOf(user string) int {
	return slices.IndexFunc(t.waiting, func(one *waiting) bool { return one.user == user })
}
