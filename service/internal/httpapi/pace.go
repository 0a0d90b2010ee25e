package httpapi

import "time"

const (
	// paceTime is how long a body or an answer may stand still, and the time
	// over which its pace is looked at.
	paceTime = 30 * time.Second
	// bodyPace and answerPace are the least bytes a second. What is seen of an
	// answer is what the kernel's buffer takes, in jerks, so that its pace is the
	// lower one.
	bodyPace   = 16 << 10
	answerPace = 8 << 10
	// paceMarks is into how many slices the bytes of paceTime are cut.
	paceMarks = 16
)

// pace is a floor under how fast bytes go: of any paceTime it is so many.
type pace struct {
	slice int64
	// passed are the bytes since the last slice was whole.
	passed int64
	// marks are when the last slices were whole, next the place of the oldest.
	marks [paceMarks]time.Time
	next  int
}

func newPace(bytesPerSecond int64, now time.Time) pace {
	p := pace{slice: bytesPerSecond * int64(paceTime/time.Second) / paceMarks}
	for i := range p.marks {
		p.marks[i] = now
	}
	return p
}

// pass counts bytes that went.
func (p *pace) pass(bytes int, now time.Time) {
	for p.passed += int64(bytes); p.passed >= p.slice; p.passed -= p.slice {
		p.marks[p.next] = now
		p.next = (p.next + 1) % paceMarks
	}
}

// deadline is when it is too slow if it stands still from now on.
func (p *pace) deadline() time.Time { return p.marks[p.next].Add(paceTime) }
