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

// settling is how long work may continue after the last client has its answers.
const settling = 20 * time.Second

func parse[T any](w *world, body []byte) (value T) {
	if err := json.Unmarshal(body, &value); err != nil {
		w.ledger.Violation(odd, "an answer is no JSON: %.200s", body)
	}
	return value
}

// number returns the one number of a query. The database may just be starting.
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

// quiet waits until no client works, all replicas are ready and no work is left.
func (w *world) quiet() {
	w.gate.close(false)
	w.eventually(odd, "replicas that are not ready", func() bool { return w.c.Proxy.Ready() == len(w.c.Replicas) })
	w.eventually(leftOpen, "answers that are open when all is quiet", func() bool {
		return w.number(`SELECT count(*) FROM streams WHERE ended_at IS NULL`) == 0
	})
	w.eventually(leftBehind, "answers that the model still says", func() bool { return w.model.talking() == 0 })
}

// eventually waits for a condition for a while.
func (w *world) eventually(promise, what string, is func() bool) {
	for begun := time.Now(); !is(); time.Sleep(20 * time.Millisecond) {
		if time.Since(begun) > settling {
			w.ledger.Violation(promise, "%s, after %v", what, settling)
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
	w.eventually(leftBehind, "goroutines", func() bool { return w.goroutines() <= w.base })
	for _, r := range w.c.Replicas {
		w.checkConnections(r.Name, " "+r.Name, poolConnections+2) // it may be listening again
	}
}

const storedEvents = `SELECT stream_id, id, type, convert_from(data, 'UTF8') FROM events WHERE stream_id = ANY($1) ORDER BY stream_id, id`

// stored returns the events of streams.
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

// wrongLogs returns the streams whose events have gaps, more than one start or end, or events after
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
		w.ledger.Violation(former, "%d logs have gaps or events behind their end", n)
	}
}

// checkAnswer compares an answer with what its readers read and what the model said.
func (w *world) checkAnswer(a *answer, stored []witness.Event) {
	if w.ledger.chats[a.chatID] {
		return // it was deleted
	}
	if calls, asked := w.model.asked(a.question), w.ledger.asked[a.question]; calls > asked {
		w.ledger.Violation(calledMore, "%q was asked %d times, and the model %d times", a.question, asked, calls)
	}
	if a.replaced && len(stored) == 0 {
		return // a regeneration replaced it
	}
	for _, all := range a.readings {
		for i, e := range all {
			if e.Kind == wire.EventError && i < len(stored) {
				e.Data = stored[i].Data // it is sent in other words than it is stored in
			}
			if i >= len(stored) || stored[i] != e {
				w.ledger.Violation(torn, "a reader of stream %s got %d events, and of those number %d is not stored: %+v", a.streamID, len(all), i+1, e)
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
		w.ledger.Violation(torn, "stream %s is not what the model said: %q", a.streamID, text)
	case outcome == wire.EventComplete && !whole && a.receipt == nil && !w.wasStopped(a):
		w.ledger.Violation(torn, "stream %s is complete and not whole: %q", a.streamID, text)
	case outcome == "":
		w.ledger.Violation(leftOpen, "stream %s ends with neither complete nor error", a.streamID)
	}
	w.ledger.Add("answers: "+outcome, 1)
	if a.receipt != nil && a.receipt.LastEventID != int64(len(stored)) {
		w.ledger.Violation(lost, "stream %s was stopped after event %d, and has %d", a.streamID, a.receipt.LastEventID, len(stored))
	}
	if w.number(`SELECT count(*) FROM messages WHERE role = 'user' AND content = $1`, a.question) != 1 {
		w.ledger.Violation(lost, "%q was acknowledged, and is not stored once", a.question)
	}
	if !a.replaced && w.number(`SELECT count(*) FROM messages WHERE id = $1 AND content = $2`, a.messageID, text) != 1 {
		w.ledger.Violation(lost, "answer %s is not stored as its readers got it", a.messageID)
	}
}

// wasStopped reports whether somebody who was not told the result asked for an answer's end.
func (w *world) wasStopped(a *answer) bool {
	return w.number(`SELECT count(*) FROM messages WHERE id = $1 AND finish_reason = 'stopped'`, a.messageID) == 1
}

// checkAll checks everything again.
func (w *world) checkAll() {
	w.quietJobs()
	w.checkLogs(nil)
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM messages WHERE role = 'user' GROUP BY content HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d questions stand twice", n)
	}
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM memories GROUP BY user_id, content HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d memories stand twice", n)
	}
	if n := w.number(`SELECT count(*) FROM (SELECT 1 FROM documents GROUP BY name HAVING count(*) > 1) AS d`); n > 0 {
		w.ledger.Violation(doubled, "%d documents stand twice", n)
	}
	for _, d := range w.ledger.documents {
		n := w.number(`SELECT count(*) FROM documents WHERE key = $1 AND status = 'synced'`, d.key)
		switch {
		case d.deleted && n > 0:
			w.ledger.Violation(lost, "document %s was deleted, and is there", d.key)
		case !d.deleted && n != 1:
			w.ledger.Violation(lost, "document %s was acknowledged, and is not synced", d.key)
		}
	}
	for chat, deleted := range w.ledger.chats {
		if n := w.number(`SELECT count(*) FROM chats WHERE id = $1`, chat); n == 1 == deleted {
			w.ledger.Violation(lost, "chat %s was deleted: %v, and stored: %v", chat, deleted, n == 1)
		}
	}
	w.checkMemories()
}

// quietJobs waits until all messages are examined and all documents are read.
func (w *world) quietJobs() {
	w.eventually(lost, "messages to examine or documents to read are left", func() bool {
		return w.number(`SELECT (SELECT count(*) FROM memory_jobs) + (SELECT count(*) FROM document_jobs)`) == 0
	})
}

// checkMemories finds the memories of every question.
func (w *world) checkMemories() {
	for question := range w.ledger.asked {
		findings, _ := memory.Embedded{}.Detect(context.Background(), question, nil) // it never fails
		if len(findings) == 0 || w.number(`SELECT count(*) FROM messages WHERE role = 'user' AND content = $1`, question) == 0 {
			continue
		}
		w.ledger.Add("memories", 1)
		n := w.number(`SELECT count(*) FROM memories JOIN messages ON messages.id = source_message_id WHERE messages.content = $1`, question)
		if n != len(findings) {
			w.ledger.Violation(lost, "%q gave %d memories, want %d", question, n, len(findings))
		}
	}
}

var goroutines = regexp.MustCompile(`(?m)^go_goroutines (\d+)$`)

// goroutines returns the number of goroutines of the replica that has most.
func (w *world) goroutines() (most int) {
	for _, r := range w.c.Replicas {
		own := *w.client
		own.Address = r.Address
		status, body, _ := own.Once(context.Background(), witness.Get("", "/metrics"))
		found := goroutines.FindSubmatch(body)
		if status != http.StatusOK || found == nil {
			return 1 << 30
		}
		n, _ := strconv.Atoi(string(found[1])) // they are digits
		most = max(most, n)
	}
	return most
}

const ofApplication = `SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'chatsdk' || $1 || '%'`

func (w *world) checkConnections(when, whose string, most int) {
	w.eventually(leftBehind, "connections to the database "+strings.TrimSpace(when), func() bool { return w.number(ofApplication, whose) <= most })
}
