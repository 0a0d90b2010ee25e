package httpapi

import "time"

const (
	// paceTime is how long a body or an answer may stand still, and the time
	// over which its pace is looked at.
	paceTime = 30 * time.Second
	// bodyPace and answerPace are the least bytes a second. Of an answer the
	// service sees only what the kernel's buffer takes, in jerks, so its pace is
	// the lower one.
	bodyPace   = 16 << 10
	answerPace = 8 << 10
	// paceMarks is the number of slices that the bytes of paceTime are cut into.
	paceMarks = 16
)

// pace is a least speed of bytes, over any time of paceTime.
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

// deadline is when the pace will be too slow if no byte passes until then.
func (p *pace) deadline() time.Time { return p.marks[p.next].Add(paceTime) }
