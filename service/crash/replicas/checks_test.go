//go:build unix

package replicas_test

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// settling is how long work may continue after the last client has received its answers.
const settling = 20 * time.Second

func parse[T any](w *world, body []byte) (value T) {
	if err := json.Unmarshal(body, &value); err != nil {
		w.ledger.Violation(odd, "a response is not JSON: %.200s", body)
	}
	return value
}

// number returns the result of a query that selects one number. It retries, because the database may
// be restarting.
func (w *world) number(query string, args ...any) (n int) {
	var err error
	for range 100 {
		if err = w.db.QueryRow(context.Background(), query, args...).Scan(&n); err == nil {
			return n
		}
		time.Sleep(50 * time.Millisecond)
	}
	require.NoError(w.t, err, query)
	return n
}

// quiet closes the gate, and waits until all replicas are ready and no answer is open.
func (w *world) quiet() {
	w.gate.close(false)
	w.eventually(odd, "replicas are not ready", func() bool { return w.c.Proxy.Ready() == len(w.c.Replicas) })
	w.eventually(leftOpen, "answers are open although no client is active", func() bool {
		return w.number(`SELECT count(*) FROM streams WHERE ended_at IS NULL`) == 0
	})
	w.eventually(leftBehind, "the model still writes answers", func() bool { return w.model.talking() == 0 })
}

// eventually waits until a condition holds. If it does not hold within settling, the promise is
// broken.
func (w *world) eventually(promise, what string, is func() bool) {
	for begun := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > settling {
			w.ledger.Violation(promise, "%s after %v", what, settling)
			return
		}
	}
}

// check compares what is stored with what clients were told since the last check.
func (w *world) check() {
	unchecked := w.ledger.take()
	var streams []string
	for _, a := range unchecked {
		streams = append(streams, a.streamID)
	}
	w.checkLogs(streams)
	stored := w.stored(streams)
	for _, a := range unchecked {
		w.checkAnswer(a, stored[a.streamID])
		a.readings = nil
	}
	w.eventually(leftBehind, "too many goroutines", func() bool { return w.goroutines() <= w.base })
	for _, r := range w.c.Replicas {
		w.checkConnections("of "+r.Name, " "+r.Name, poolConnections+2) // one listens; after a reconnect, two may
	}
}

const storedEvents = `SELECT stream_id, id, type, convert_from(data, 'UTF8') FROM events WHERE stream_id = ANY($1) ORDER BY stream_id, id`

// stored returns the stored events of streams, by stream id.
func (w *world) stored(streams []string) map[string][]witness.Event {
	rows, err := w.db.Query(context.Background(), storedEvents, streams)
	require.NoError(w.t, err)
	all := map[string][]witness.Event{}
	var id string
	var e witness.Event
	_, err = pgx.ForEachRow(rows, []any{&id, &e.ID, &e.Kind, &e.Data}, func() error {
		all[id] = append(all[id], e)
		return nil
	})
	require.NoError(w.t, err)
	return all
}

// wrongLogs counts the streams whose events have gaps, more than one start or end, or events after
// the end, perhaps from a former owner.
const wrongLogs = `
	SELECT count(*) FROM streams JOIN LATERAL (
		SELECT count(*) AS count, min(id) AS first, max(id) AS last, count(*) FILTER (WHERE type = 'end') AS ends,
			count(*) FILTER (WHERE type = 'start') AS starts, max(id) FILTER (WHERE type = 'end') AS ended
		FROM events WHERE stream_id = streams.id
	) AS e ON true
	WHERE ended_at IS NOT NULL AND NOT swept AND ($1::text[] IS NULL OR streams.id = ANY($1))
		AND EXISTS (SELECT 1 FROM events WHERE stream_id = streams.id)
		AND (count <> last_id OR first <> 1 OR last <> last_id OR ends <> 1 OR starts <> 1 OR ended <> last)`

func (w *world) checkLogs(streams []string) {
	if n := w.number(wrongLogs, streams); n > 0 {
		w.ledger.Violation(former, "%d logs have gaps, a second start or end, or events after the end", n)
	}
}

// checkAnswer compares an answer with what its readers received and what the model wrote.
func (w *world) checkAnswer(a *answer, stored []witness.Event) {
	if w.ledger.chats[a.chatID] {
		return // the chat was deleted
	}
	if calls, asked := w.model.asked(a.question), w.ledger.asked[a.question]; calls > asked {
		w.ledger.Violation(calledMore, "%q was sent %d times, but the model was called %d times", a.question, asked, calls)
	}
	if a.replaced && len(stored) == 0 {
		return // a regeneration replaced it
	}
	for _, all := range a.readings {
		for i, e := range all {
			if e.Kind == wire.EventError && i < len(stored) {
				e.Data = stored[i].Data // an error is stored in another form than it is sent in
			}
			if i >= len(stored) || stored[i] != e {
				w.ledger.Violation(torn, "a reader of stream %s got %d events, but event %d is not stored: %+v", a.streamID, len(all), i+1, e)
				break
			}
		}
	}
	text := ""
	outcome := ""
	for _, e := range stored {
		switch e.Kind {
		case wire.EventChunk:
			text += parse[wire.Text](w, []byte(e.Data)).Text
		case wire.EventComplete, wire.EventError:
			outcome = e.Kind
		}
	}
	said, whole := isSaid(a.question, text, w.model.asked(a.question))
	switch {
	case !said:
		w.ledger.Violation(torn, "stream %s differs from what the model wrote: %q", a.streamID, text)
	case outcome == wire.EventComplete && !whole && a.receipt == nil && !w.wasStopped(a):
		w.ledger.Violation(torn, "stream %s ended with complete, but its text is incomplete: %q", a.streamID, text)
	case outcome == "":
		w.ledger.Violation(leftOpen, "stream %s ends with neither complete nor error", a.streamID)
	}
	w.ledger.Add("answers: "+outcome, 1)
	if a.receipt != nil && a.receipt.LastEventID != int64(len(stored)) {
		w.ledger.Violation(lost, "the receipt of stream %s says %d events, but %d are stored", a.streamID, a.receipt.LastEventID, len(stored))
	}
	if w.number(`SELECT count(*) FROM messages WHERE role = 'user' AND content = $1`, a.question) != 1 {
		w.ledger.Violation(lost, "%q was acknowledged, but is not stored exactly once", a.question)
	}
	if !a.replaced && w.number(`SELECT count(*) FROM messages WHERE id = $1 AND content = $2`, a.messageID, text) != 1 {
		w.ledger.Violation(lost, "the stored answer %s differs from what its readers got", a.messageID)
	}
}

// wasStopped reports whether an answer was stopped, perhaps by a client that did not receive the
// receipt.
func (w *world) wasStopped(a *answer) bool {
	return w.number(`SELECT count(*) FROM messages WHERE id = $1 AND finish_reason = 'stopped'`, a.messageID) == 1
}

// checkAll checks everything that is stored.
func (w *world) checkAll() {
	w.quietJobs()
	w.checkLogs(nil)
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM messages WHERE role = 'user' GROUP BY content HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d questions are stored more than once", n)
	}
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM memories GROUP BY user_id, content HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d memories are stored more than once", n)
	}
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM documents GROUP BY name HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d documents are stored more than once", n)
	}
	for _, d := range w.ledger.documents {
		n := w.number(`SELECT count(*) FROM documents WHERE key = $1 AND status = 'synced'`, d.key)
		switch {
		case d.deleted && n > 0:
			w.ledger.Violation(lost, "document %s was deleted, but is stored", d.key)
		case !d.deleted && n != 1:
			w.ledger.Violation(lost, "document %s was acknowledged, but is not synced", d.key)
		}
	}
	for chat, deleted := range w.ledger.chats {
		if n := w.number(`SELECT count(*) FROM chats WHERE id = $1`, chat); n == 1 == deleted {
			w.ledger.Violation(lost, "chat %s: deleted: %v, stored: %v", chat, deleted, n == 1)
		}
	}
	w.checkMemories()
}

// quietJobs waits until all messages are examined and all documents are read.
func (w *world) quietJobs() {
	w.eventually(lost, "messages or documents are still in the queues", func() bool {
		return w.number(`SELECT (SELECT count(*) FROM memory_jobs) + (SELECT count(*) FROM document_jobs)`) == 0
	})
}

// checkMemories requires that every stored question has yielded its memories.
func (w *world) checkMemories() {
	for question := range w.ledger.asked {
		findings, _ := memory.Embedded{}.Detect(context.Background(), question, nil) // Embedded never fails
		if len(findings) == 0 || w.number(`SELECT count(*) FROM messages WHERE role = 'user' AND content = $1`, question) == 0 {
			continue
		}
		w.ledger.Add("memories", 1)
		n := w.number(`SELECT count(*) FROM memories JOIN messages ON messages.id = source_message_id WHERE messages.content = $1`, question)
		if n != len(findings) {
			w.ledger.Violation(lost, "%q yielded %d memories, want %d", question, n, len(findings))
		}
	}
}

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines returns the number of goroutines of the replica that has the most.
func (w *world) goroutines() (most int) {
	for _, r := range w.c.Replicas {
		own := *w.client
		own.Address = r.Address
		status, body, _ := own.Once(context.Background(), witness.Get("", "/metrics"))
		found := goroutines.FindSubmatch(body)
		if status != http.StatusOK || found == nil {
			return 1 << 30
		}
		n, _ := strconv.Atoi(string(found[1])) // the pattern matches only digits
		most = max(most, n)
	}
	return most
}

const ofApplication = `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'chatsdk' || $1 || '%'`

func (w *world) checkConnections(when, whose string, most int) {
	w.eventually(leftBehind, "too many connections to the database "+strings.TrimSpace(when), func() bool { return w.number(ofApplication, whose) <= most })
}
