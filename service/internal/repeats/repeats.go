// Package repeats keeps a failure that everybody meets from filling the log: while the database is
// away, each request and each queue fails many times a second for the same cause. Begin with New.
package repeats

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Handler is a slog.Handler that passes records on. Of the records with the same message and the
// same shared cause (fault.Shared) in their attribute "error" it passes on the first. Run tells how
// many there were of the others, and when there are no more.
type Handler struct {
	slog.Handler
	all *failures
}

type key struct{ message, cause string }

// failures are those that were met lately.
type failures struct {
	mu    sync.Mutex
	byKey map[key]*failure
}

type failure struct {
	handler slog.Handler
	record  slog.Record // the last one
	since   time.Time
	// more counts those that were not passed on since Run told of them, and times counts all.
	more, times int
	// again says that there was one since Run looked.
	again bool
}

// New returns a Handler that passes records on to another one.
func New(to slog.Handler) *Handler {
	return &Handler{to, &failures{byKey: map[key]*failure{}}}
}

// WithAttrs implements slog.Handler.
func (h *Handler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &Handler{h.Handler.WithAttrs(attrs), h.all}
}

// WithGroup implements slog.Handler.
func (h *Handler) WithGroup(name string) slog.Handler {
	return &Handler{h.Handler.WithGroup(name), h.all}
}

// Handle implements slog.Handler.
func (h *Handler) Handle(ctx context.Context, record slog.Record) error {
	if cause := causeOf(record); cause != "" && h.all.has(key{record.Message, cause}, h.Handler, record) {
		return nil
	}
	return h.Handler.Handle(ctx, record)
}

// causeOf returns the cause of a failure that everybody meets, empty if it isn't one.
func causeOf(record slog.Record) (cause string) {
	record.Attrs(func(attr slog.Attr) bool {
		err, isError := attr.Value.Any().(error)
		if attr.Key == "error" && isError {
			cause = fault.Shared(err)
		}
		return cause == ""
	})
	return cause
}

// has counts a failure, and reports whether it was met before.
func (f *failures) has(k key, handler slog.Handler, record slog.Record) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	one := f.byKey[k]
	if one == nil {
		f.byKey[k] = &failure{handler: handler, record: record.Clone(), since: record.Time, times: 1, again: true}
		return false
	}
	one.handler, one.record, one.again = handler, record.Clone(), true
	one.more++
	one.times++
	return true
}

// pause is how often Run looks.
const pause = 30 * time.Second

// Run writes a line with a count for each failure that goes on, every 30 s, and a line when it was not
// met for that long. When ctx ends, it writes the counts that are left.
func (h *Handler) Run(ctx context.Context) {
	ticker := time.NewTicker(pause)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			h.tell(time.Now())
		case <-ctx.Done():
			h.tell(time.Now())
			return
		}
	}
}

func (h *Handler) tell(now time.Time) {
	h.all.mu.Lock()
	defer h.all.mu.Unlock()
	for _, k := range slices.SortedFunc(maps.Keys(h.all.byKey), func(a, b key) int {
		return cmp.Or(h.all.byKey[a].since.Compare(h.all.byKey[b].since),
			cmp.Compare(a.message, b.message), cmp.Compare(a.cause, b.cause))
	}) {
		one := h.all.byKey[k]
		switch {
		case one.more > 0:
			record := one.record
			record.AddAttrs(slog.Int("more", one.more), slog.Time("since", one.since))
			one.write(record)
		case !one.again:
			record := slog.NewRecord(now, slog.LevelInfo, "works again: "+k.message, 0)
			record.AddAttrs(slog.String("cause", k.cause), slog.Int("times", one.times), slog.Time("since", one.since))
			one.write(record)
			delete(h.all.byKey, k)
		}
		one.more, one.again = 0, false
	}
}

func (f *failure) write(record slog.Record) {
	if ctx := context.Background(); f.handler.Enabled(ctx, record.Level) {
		_ = f.handler.Handle(ctx, record) // as slog.Logger does
	}
}
