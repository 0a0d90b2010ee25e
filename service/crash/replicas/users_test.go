//go:build unix

package replicas_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// user is one client.
type user struct {
	*world
	number int
	id     string
	random *rand.Rand

	chatID string
	sent   []string // the questions in this chat that were acknowledged
	last   *answer  // of this chat; nil if none
	files  []*document
}

// work does one action after another while the gate is open, until the test is over.
func (u *user) work(ctx context.Context) {
	for u.gate.enter() {
		u.act(ctx)
		u.gate.leave()
	}
}

func (u *user) act(ctx context.Context) {
	if u.chatID == "" || len(u.sent) == 6 {
		u.newChat(ctx)
		return
	}
	switch n := u.random.IntN(100); {
	case n < 60:
		u.send(ctx, false)
	case n < 70:
		u.send(ctx, true)
	case n < 80:
		u.regenerate(ctx)
	case n < 88:
		u.upload(ctx)
	case n < 92:
		u.deleteFile(ctx)
	case n < 95:
		u.deleteChat(ctx)
	default:
		u.look(ctx)
	}
}

func (u *user) key() string { return fmt.Sprintf("%s-%d", u.id, u.words.Add(1)) }

// word returns a word that no other text has.
func (u *user) word() string {
	number := u.words.Add(1)
	text := []byte("Z")
	for ; number > 0; number /= 20 {
		text = append(text, "bcdfghjklmnpqrstvwxz"[number%20], 'a')
	}
	return string(text) + "x"
}

// expect reports whether a response has one of the wanted statuses. Any other status is a violation,
// unless it is temporary.
func (u *user) expect(what string, status int, body []byte, want ...int) bool {
	for _, one := range want {
		if status == one {
			return true
		}
	}
	if witness.TryAgain(status) {
		u.ledger.Add("given up", 1)
	} else {
		u.ledger.Violation(odd, "%s by %s: status %d: %.200s", what, u.id, status, body)
	}
	return false
}

func (u *user) newChat(ctx context.Context) {
	r := witness.With(http.MethodPost, u.id, "/chat/create", wire.CreateChatRequest{ProjectID: "demo"}).Keyed(u.key())
	id, ok := u.claim(ctx, r, "chat_id")
	if !ok {
		return
	}
	u.ledger.Change(func() { u.ledger.chats[id] = false })
	u.chatID, u.sent, u.last = id, nil, nil
}

// claim creates something with a key, sometimes with two requests at once, and returns its id.
func (u *user) claim(ctx context.Context, r witness.Request, field string) (id string, ok bool) {
	var all sync.WaitGroup
	ids := make([]string, 1+u.random.IntN(5)/4)
	for i := range ids {
		all.Go(func() { ids[i] = u.claimOnce(ctx, r, field) })
	}
	all.Wait()
	return ids[0], ids[0] != ""
}

func (u *user) claimOnce(ctx context.Context, r witness.Request, field string) string {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		begun := time.Now()
		status, body, header := u.client.Once(ctx, r)
		if witness.TryAgain(status) {
			u.ledger.told(u.number, begun, operation{subject: "key " + r.Key})
			if witness.Pause(ctx, again) {
				continue
			}
			u.ledger.Add("given up", 1)
			return ""
		}
		if !u.expect(r.Path, status, body, http.StatusOK) {
			return ""
		}
		var got map[string]any
		_ = json.Unmarshal(body, &got)
		id, _ := got[field].(string)
		u.ledger.told(u.number, begun, operation{"key " + r.Key, id, header.Get(wire.HeaderReplayed) != "true"})
		return id
	}
}

// send asks a question and reads the answer to its end. Some questions are sent twice at once with
// one key, some answers are also read from another replica, and some are stopped.
func (u *user) send(ctx context.Context, stop bool) {
	question := fmt.Sprintf("What is the weather like in %s today?", u.word())
	if u.random.IntN(4) == 0 {
		question = fmt.Sprintf("I love %s cheese.", u.word())
	}
	r := witness.Sending(u.id, u.chatID, question).Keyed(u.key())
	u.ledger.Change(func() { u.ledger.asked[question]++ })
	a := u.ask(ctx, r, question, stop)
	if a == nil {
		return
	}
	u.sent, u.last = append(u.sent, question), a
}

// ask sends a request whose response is a stream. When all readers have finished, it returns the
// answer, or nil if no reader received one.
func (u *user) ask(ctx context.Context, r witness.Request, question string, stop bool) *answer {
	reading := &reader{user: u, request: r, question: question, leaves: u.random.IntN(8) == 0}
	if stop {
		reading.stopAt = 1 + u.random.Int64N(8)
	}
	var all sync.WaitGroup
	if u.random.IntN(6) == 0 {
		other := &reader{user: u, request: r, question: question}
		all.Go(func() { other.run(ctx) })
	}
	if u.random.IntN(4) == 0 {
		reading.followed = func(a *answer) {
			other := &reader{user: u, question: question, answer: a}
			all.Go(func() { other.run(ctx) })
		}
	}
	reading.run(ctx)
	all.Wait()
	u.ledger.Add("answers", 1)
	return reading.answer
}

func (u *user) regenerate(ctx context.Context) {
	if u.last == nil {
		return
	}
	old := u.last
	u.ledger.Change(func() {
		old.replaced = true
		u.ledger.asked[old.question]++ // even without a response, the model may be called
	})
	r := witness.With(http.MethodPost, u.id, "/v3/chat/message/regenerate", wire.RegenerateRequest{
		ProjectID: "demo", ChatID: u.chatID, MessageID: old.messageID,
	}).Keyed(u.key())
	if a := u.ask(ctx, r, old.question, false); a != nil {
		if u.completed(a) {
			u.last = a
		} else {
			u.ledger.Change(func() { a.replaced = true }) // it did not enter the history
		}
	}
	u.ledger.Add("regenerations", 1)
}

// completed reports whether an answer is complete, and so replaced the old one.
func (u *user) completed(a *answer) bool {
	u.ledger.Lock()
	defer u.ledger.Unlock()
	for _, all := range a.readings {
		for _, e := range all {
			if e.Kind == wire.EventComplete {
				return true
			}
		}
	}
	return false
}

func (u *user) upload(ctx context.Context) {
	word := u.word()
	d := &document{name: word + ".txt", text: "All of it is about " + word + ".\n", userID: u.id}
	id, ok := u.claim(ctx, uploading(u.id, d.name, d.text).Keyed(u.key()), "document_key")
	if !ok {
		return
	}
	d.key = id
	u.files = append(u.files, d)
	u.ledger.Change(func() { u.ledger.documents = append(u.ledger.documents, d) })
	u.ledger.Add("uploads", 1)
}

func (u *user) deleteFile(ctx context.Context) {
	if len(u.files) == 0 {
		return
	}
	d := u.files[0]
	u.files = u.files[1:]
	u.ledger.Change(func() { d.deleted = true })
	status, body := u.client.Until(ctx, witness.With(http.MethodDelete, u.id, "/project/knowledge/delete", wire.DeleteDocumentsRequest{
		ProjectID: "demo", Resources: []wire.Resource{{Key: d.key, Name: d.name}},
	}))
	if u.expect("delete a document", status, body, http.StatusOK, http.StatusNotFound) { // an earlier try deleted it
		status, body = u.client.Until(ctx, witness.Get(u.id, "/v3/project/demo/knowledgebase/"+d.key))
		u.expect("read a document that was deleted", status, body, http.StatusNotFound)
		u.ledger.Add("deletions", 1)
	}
}

func (u *user) deleteChat(ctx context.Context) {
	id := u.chatID
	u.ledger.Change(func() { u.ledger.chats[id] = true })
	u.chatID, u.sent, u.last = "", nil, nil
	status, body := u.client.Until(ctx, witness.With(http.MethodDelete, u.id, "/chat/delete", wire.DeleteChatRequest{ProjectID: "demo", ChatID: id}))
	if u.expect("delete a chat", status, body, http.StatusOK, http.StatusNotFound) {
		status, body = u.client.Until(ctx, witness.Get(u.id, "/project/demo/chat/"+id+"/all"))
		u.expect("read a chat that was deleted", status, body, http.StatusNotFound)
		u.ledger.Add("deletions", 1)
	}
}

// look requires that the chat has each acknowledged question once, whichever replica responds.
func (u *user) look(ctx context.Context) {
	status, body := u.client.Until(ctx, witness.Get(u.id, "/project/demo/chat/"+u.chatID+"/all"))
	if !u.expect("read a chat", status, body, http.StatusOK) {
		return
	}
	var history wire.ChatHistoryResponse
	if err := json.Unmarshal(body, &history); err != nil {
		u.ledger.Violation(odd, "invalid history: %.200s", body)
	}
	stored := map[string]int{}
	for _, m := range history.Messages {
		if m.Role == wire.RoleUser {
			stored[m.Content]++
		}
	}
	for _, question := range u.sent {
		switch stored[question] {
		case 0:
			u.ledger.Violation(lost, "%q is not in its chat", question)
		case 1:
		default:
			u.ledger.Violation(doubled, "%q is in its chat %d times", question, stored[question])
		}
	}
	u.ledger.Add("histories", 1)
}
