package crash_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// event is something that a client or the model notices.
type event string

const (
	messageSent      event = "message sent"
	messageAnswered  event = "message answered"
	decisionSent     event = "decision sent"
	decisionAnswered event = "decision answered"
	detectionAsked   event = "detection asked" // to a model
	pinged           event = "ping answered"
	streamRead       event = "stream event read"
	started          event = "start" // of the process; then only pings arrive
)

// moment is when a process is killed: some pings after the n-th event of a kind. Pings are not
// synchronised with anything, so the kill may hit any step of the service.
type moment struct {
	after event
	n     int
	pings int
}

func (m moment) String() string {
	return fmt.Sprintf("%d pings after %q number %d", m.pings, m.after, m.n)
}

// draw returns a random moment.
func draw(random *rand.Rand, events []event) moment {
	m := moment{events[random.IntN(len(events))], 1 + random.IntN(40), random.IntN(4)}
	if m.after == started {
		m.n = 1
	}
	return m
}

// countdown calls strike once, when its moment has come.
type countdown struct {
	mu     sync.Mutex
	left   moment
	struck bool
	strike func()
}

// happens counts an event.
func (c *countdown) happens(e event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.struck:
		return
	case c.left.n > 0 && e == c.left.after:
		c.left.n--
	case c.left.n == 0 && e == pinged:
		c.left.pings--
	}
	if c.left.n == 0 && c.left.pings <= 0 {
		c.struck = true
		c.strike()
	}
}

// now strikes at once.
func (c *countdown) now() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.struck {
		c.struck = true
		c.strike()
	}
}

// over reports whether it has struck.
func (c *countdown) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.struck
}
