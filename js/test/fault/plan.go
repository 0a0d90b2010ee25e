package fault

import "time"

// Way is how a response is interrupted.
type Way string

const (
	// FIN closes the connection regularly.
	FIN Way = "FIN"
	// RST resets the connection.
	RST Way = "RST"
	// End ends a chunked body regularly, as if the response were complete: see [Proxy] for places
	// where that is impossible.
	End Way = "end of the body"
	// Freeze stops passing bytes and leaves the connection open.
	Freeze Way = "freeze"
)

// Cuts are the ways in which a connection ends.
var Cuts = []Way{FIN, RST, End}

// Plan is the fault of one response. The zero Plan lets it pass.
type Plan struct {
	// Way breaks it at At, as soon as the last byte before it has passed; at byte 0 when the first
	// byte arrives. An empty Way breaks nothing, nor does a place that the response doesn't have.
	Way Way
	At  Place
	// Linger is how long the connection stays open at the place before it is broken, so that a page
	// gets what has passed. A page that learns of the break at the same time loses what it has not
	// read yet.
	Linger time.Duration
	// Delay is how long the response is delayed.
	Delay time.Duration
	// Target is the HOST:PORT that answers, if it is not the Proxy's own.
	Target string
}

// Place is a place in a response.
type Place struct {
	// event is 0 for a place in the response; otherwise it counts the events of its body from 1.
	event int
	byte  int
}

// AtByte is after the first n bytes of a response, including head and chunked framing.
func AtByte(n int) Place { return Place{byte: n} }

// InEvent is after the first n bytes of the event-th event of a body, which is an event stream.
// Events end with a blank line, and comments count as events.
func InEvent(event, n int) Place { return Place{event: event, byte: n} }

// Part is what a place in a response belongs to.
type Part string

// The parts of a response.
const (
	Head    Part = "head"
	Framing Part = "framing"
	Data    Part = "data"
)
