//go:build unix

package tools_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"time"
)

// notice is something that a client, the model or a tool notices.
type notice string

const (
	questionSent     notice = "a question sent"
	callSeen         notice = "a call seen"
	decisionSent     notice = "a decision sent"
	decisionAnswered notice = "a decision answered"
	claimSent        notice = "a claim sent"
	claimAnswered    notice = "a claim answered"
	resultSent       notice = "a result sent"
	resultAnswered   notice = "a result answered"
	toolAsked        notice = "a tool called, or finished"
	modelAsked       notice = "the model asked"
	stopSent         notice = "a stop sent"
)

var notices = []notice{
	questionSent, callSeen, decisionSent, decisionAnswered, claimSent, claimAnswered, resultSent, resultAnswered, toolAsked, modelAsked, stopSent,
}

// moment is when a process is killed: some time after the n-th notice of a kind.
type moment struct {
	after notice
	n     int
	later time.Duration
}

func (m moment) String() string { return fmt.Sprintf("%v after %q number %d", m.later, m.after, m.n) }

// draw returns a random moment. Most are within milliseconds, the time of a transaction.
func draw(random *rand.Rand) moment {
	m := moment{after: notices[random.IntN(len(notices))], n: 1 + random.IntN(20)}
	switch random.IntN(4) {
	case 0:
	case 3:
		m.later = time.Duration(random.Int64N(int64(300 * time.Millisecond)))
	default:
		m.later = time.Duration(random.Int64N(int64(6 * time.Millisecond)))
	}
	return m
}

// watch waits for moments.
type watch struct {
	mu   sync.Mutex
	left moment
	came chan struct{}
}

// happens counts a notice.
func (w *watch) happens(n notice) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.came == nil || n != w.left.after {
		return
	}
	if w.left.n--; w.left.n == 0 {
		close(w.came)
		w.came = nil
	}
}

// longest limits the wait for a moment: some notices, such as a stop, may never come.
const longest = 3 * time.Second

// wait waits for a moment.
func (w *watch) wait(m moment) {
	came := make(chan struct{})
	w.mu.Lock()
	w.left, w.came = m, came
	w.mu.Unlock()
	select {
	case <-came:
	case <-time.After(longest):
	}
	time.Sleep(m.later)
}
