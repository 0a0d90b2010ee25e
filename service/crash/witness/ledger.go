package witness

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Ledger records counts and broken promises. Types that embed it share its lock.
type Ledger struct {
	sync.Mutex
	Begun time.Time

	say    func(args ...any)
	broken map[string][]string // descriptions of the violations, by promise
	count  map[string]int      // by name
}

// NewLedger returns an empty ledger, which calls say with each violation.
func NewLedger(say func(args ...any)) *Ledger {
	return &Ledger{Begun: time.Now(), say: say, broken: map[string][]string{}, count: map[string]int{}}
}

// Violation records that a promise was broken.
func (l *Ledger) Violation(promise, format string, args ...any) {
	l.Lock()
	defer l.Unlock()
	text := fmt.Sprintf("%6.1f s: %s", time.Since(l.Begun).Seconds(), fmt.Sprintf(format, args...))
	l.broken[promise] = append(l.broken[promise], text)
	l.say(promise, text)
}

// Add adds n to a count.
func (l *Ledger) Add(name string, n int) {
	l.Lock()
	defer l.Unlock()
	l.count[name] += n
}

// Count returns a count.
func (l *Ledger) Count(name string) int {
	l.Lock()
	defer l.Unlock()
	return l.count[name]
}

// Change calls do while it holds the lock.
func (l *Ledger) Change(do func()) {
	l.Lock()
	defer l.Unlock()
	do()
}

// Table returns a Markdown table of how often each promise was broken. Found describes the first ten
// violations of each promise; it is empty if there are none.
func (l *Ledger) Table(promises []string) (table, found string) {
	l.Lock()
	defer l.Unlock()
	table = "| broken promises | count |\n| --- | ---: |\n"
	for _, promise := range promises {
		all := l.broken[promise]
		table += fmt.Sprintf("| %s | %d |\n", promise, len(all))
		for _, one := range all[:min(len(all), 10)] {
			found += promise + ": " + one + "\n"
		}
	}
	return table, found
}

// Counts returns all counts in one line, sorted by name.
func (l *Ledger) Counts() string {
	l.Lock()
	defer l.Unlock()
	var all []string
	for name, n := range l.count {
		all = append(all, fmt.Sprintf("%s %d", name, n))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}
