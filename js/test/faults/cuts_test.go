package faults_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/js/test/fault"
)

// linger is how long a cut waits, so that the page reads what has passed.
const linger = 20 * time.Millisecond

// An answer that is cut anywhere arrives complete in the end: first with only one cut, then with a
// second cut in what resumes it. In the first pass the page has read everything before the cut, and
// in the second it may lose some of it.
func TestCuts(t *testing.T) {
	t.Logf("-seed %d", *seed)
	b := newBench(t, nil)
	places := b.whole.boundaries()
	if *soak {
		places = b.whole.every()
	}
	var tallies []*tally
	for _, pass := range []struct {
		name  string
		again bool
	}{{"", false}, {", and the next too", true}} {
		for i, way := range fault.Cuts {
			got := b.cut(string(way)+pass.name, way, places, pass.again, rand.New(rand.NewPCG(*seed, uint64(i))))
			got.check(t, false)
			if !*soak && !pass.again {
				// The complete event has a time, which may be a digit shorter.
				require.GreaterOrEqual(t, got.brokenAll(), len(places)-1, "places that were not there")
			}
			tallies = append(tallies, got)
		}
	}
	t.Log(table(tallies...))
}

// cut sends a message for each place. With again, the next connection is broken too, anywhere: the
// second try of a send, or the first resume of a stream. So the third of three tries without
// progress succeeds.
func (b *bench) cut(name string, way fault.Way, places []fault.Place, again bool, random *rand.Rand) *tally {
	b.t.Helper()
	questions, plans := make([]string, len(places)), map[string]fault.Plan{}
	patience := linger
	if again {
		patience = 0
	}
	for i, place := range places {
		questions[i] = fmt.Sprintf("%s, place %d", name, i)
		plans[strings.ReplaceAll(questions[i], " ", "_")] = fault.Plan{Way: way, At: place, Linger: patience}
	}
	for i := range questions {
		questions[i] = strings.ReplaceAll(questions[i], " ", "_") // it is the key too
	}
	tries := map[string]int{}
	return b.run(name, questions, func(r *http.Request) fault.Plan {
		if r.Method == http.MethodGet {
			tries[r.URL.Path]++
			if again && tries[r.URL.Path] == 1 {
				return b.whole.somewhere(random, r)
			}
			return fault.Plan{}
		}
		key := r.Header.Get("Idempotency-Key")
		tries[key]++
		switch {
		case tries[key] == 1:
			return plans[key]
		case again && tries[key] == 2:
			return b.whole.somewhere(random, r)
		}
		return fault.Plan{}
	})
}

// every is every byte of the response.
func (w *reference) every() []fault.Place {
	places := make([]fault.Place, w.longest(0))
	for n := range places {
		places[n] = fault.AtByte(n)
	}
	return places
}

// boundaries are both sides of every boundary of a line of the head, of an
// event, and of a field of one event.
func (w *reference) boundaries() []fault.Place {
	places := []fault.Place{fault.AtByte(0), fault.AtByte(1)}
	for n := range len("200") { // Chromium also accepts part of a status
		places = append(places, fault.AtByte(len("HTTP/1.1 ")+n))
	}
	end := 0
	for line := range strings.Lines(w.head) {
		end += len(line)
		places = append(places, fault.AtByte(end-1), fault.AtByte(end))
	}
	for i, event := range w.events[:len(w.events)-1] {
		places = append(places, fault.InEvent(i+1, len(event)-1), fault.InEvent(i+2, 0))
	}
	const one = 7 // a chunk
	begin := 0
	for line := range strings.Lines(strings.TrimSuffix(w.events[one-1], "\n")) {
		name := strings.Index(line, ":")
		for _, n := range []int{1, name, name + 1, name + 2, name + 3, len(line) - 2, len(line) - 1, len(line)} {
			places = append(places, fault.InEvent(one, begin+n))
		}
		begin += len(line)
	}
	inside := strings.Index(w.events[one-1], "😀")
	for n := range 5 {
		places = append(places, fault.InEvent(one, inside+n))
	}
	return places
}

// An open but silent connection is noticed, also in the head.
func TestFreezes(t *testing.T) {
	const freezes = 50
	// More tries than usual: a busy machine may be silent for 200 ms.
	b := newBench(t, test.Config{"stallTimeout": 200, "timeout": 1000, "maxRetries": 20})
	places := make([]fault.Place, freezes)
	for i := range places {
		places[i] = fault.AtByte(i * b.whole.longest(0) / freezes)
	}
	got := b.cut("freeze", fault.Freeze, places, false, nil)
	got.check(t, false)
	t.Log(table(got))
}

// One connection in three breaks somewhere. With the usual number of tries some answers end with an
// error, because sometimes three in a row break. With more tries none does.
func TestOneInThree(t *testing.T) {
	sends := 100
	if *soak {
		sends = 1000
	}
	for _, test := range []struct {
		name     string
		settings test.Config
	}{
		{"one connection in three", nil},
		{"one connection in three, maxRetries 20", test.Config{"maxRetries": 20}},
	} {
		b := newBench(t, test.settings)
		questions := make([]string, sends)
		for i := range questions {
			questions[i] = fmt.Sprint("one_in_three_", i)
		}
		random, count := rand.New(rand.NewPCG(*seed, 0)), 0
		got := b.run(test.name, questions, func(r *http.Request) fault.Plan {
			if count++; count%3 != 0 {
				return fault.Plan{}
			}
			return b.whole.somewhere(random, r)
		})
		got.check(t, test.settings == nil)
		require.Greater(t, got.brokenAll(), sends/4)
		t.Log(table(got))
	}
}
