package fault

// finder looks for a place in the segments of a response.
type finder struct {
	place  Place
	passed int // bytes
	// events that have passed, and bytes of the one that has not.
	events, inEvent int
	// lineEnd says that the last byte of the body ended a line.
	lineEnd bool
}

// find reports whether the place is in the segment, and how many of its bytes are before it.
func (f *finder) find(s segment) (n int, found bool) {
	if f.place.event > 0 {
		return f.findInEvent(s)
	}
	size := len(s.before) + len(s.data) + len(s.after)
	n = f.place.byte - f.passed
	f.passed += size
	return n, n <= size
}

func (f *finder) findInEvent(s segment) (n int, found bool) {
	if s.isHead {
		return len(s.before), f.reached()
	}
	for i, c := range s.data {
		f.inEvent++
		if c == '\n' && f.lineEnd {
			f.events++
			f.inEvent = 0
		}
		f.lineEnd = c == '\n'
		if f.reached() {
			return len(s.before) + i + 1, true
		}
	}
	return 0, false
}

func (f *finder) reached() bool { return f.events == f.place.event-1 && f.inEvent == f.place.byte }
