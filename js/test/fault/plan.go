package fault

import "time"

// Way is how a response is broken off.
type Way string

const (
	// FIN closes the connection politely.
	FIN Way = "FIN"
	// RST resets the connection.
	RST Way = "RST"
	// End ends a chunked body politely, as if the response were whole: see
	// [Proxy] for the places if there is no room for that.
	End Way = "end of the body"
	// Freeze passes nothing more and leaves the connection open.
	Freeze Way = "freeze"
)

// Cuts are the ways in which a connection ends.
var Cuts = []Way{FIN, RST, End}

// Plan says what becomes of one response. The zero Plan lets it pass.
type Plan struct {
	// Way breaks it at At, at once when the last byte before it has passed; at
	// byte 0 when the first one comes. Empty breaks nothing, nor does a place
	// that the response doesn't have.
	Way Way
	At  Place
	// Linger is how long the connection stays as it is at the place before it is
	// broken: a page gets what has passed. One that learns of the break at the
	// same time loses what it has not read yet.
	Linger time.Duration
	// Delay is how long the response is held back.
	Delay time.Duration
	// Target is the HOST:PORT that answers, if it is not the Proxy's own.
	Target string
}

// Place is a place in a response.
type Place struct {
	// event is 0 for a place in the response, and else counts the events of
	// its body from 1.
	event int
	byte  int
}

// AtByte is behind the first n bytes of a response, head and chunked framing
// included.
func AtByte(n int) Place { return Place{byte: n} }

// InEvent is behind the first n bytes of the event-th event of a body, which is
// an event stream. Events end with a blank line, and comments count as events.
func InEvent(event, n int) Place { return Place{event: event, byte: n} }

// Part is what a place in a response belongs to.
type Part string

// The parts of a response.
const (
	Head    Part = "head"
	Framing Part = "framing"
	Data    Part = "data"
)
