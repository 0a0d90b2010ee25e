package crash_test

import (
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

// Reviewers delete memories of forgetful users. A deletion may remove messages of the same user from
// the queue, so what must be remembered is certain only for the other users.
var (
	users     = []string{"ann", "bob", "cid", "dan", "eve", "fay"}
	forgetful = map[string]bool{"eve": true, "fay": true}
)

// reviewers is how many goroutines pick memories. Each sends up to crowd decisions on one memory at
// the same time.
const (
	reviewers = 2
	crowd     = 3
)

// life is one process from its start to its kill.
type life struct {
	t      *testing.T
	client *client
	ledger *ledger
	words  *words
	end    *countdown
}

// live runs users and reviewers until the process is killed. It returns how many decisions had no
// response then and never got one.
func (l *life) live(p *witness.Process, seed func() *rand.Rand) (open int) {
	var inFlight []*decision
	l.end.strike = func() {
		inFlight = l.ledger.open()
		p.Kill()
	}
	var all sync.WaitGroup
	if l.end.left.after != started {
		l.work(&all, seed)
	}
	l.client.happens(started)
	all.Go(l.ping)
	all.Wait()
	p.UntilKilled()
	for _, d := range inFlight {
		if d.status == 0 {
			open++
		}
	}
	return open
}

// work starts the users and the reviewers.
func (l *life) work(all *sync.WaitGroup, seed func() *rand.Rand) {
	for _, userID := range users {
		random := seed()
		all.Go(func() { l.write(userID, random) })
	}
	for range reviewers {
		random := seed()
		all.Go(func() { l.review(random) })
	}
}

// goesOn reports whether the process was not killed yet. If the test has failed, it kills the process.
func (l *life) goesOn() bool {
	if l.t.Failed() {
		l.end.now()
	}
	return !l.end.over()
}

func (l *life) ping() {
	for l.goesOn() {
		if _, answered := decode[struct{}](l.client, get("/healthz")); answered {
			l.client.happens(pinged)
		}
	}
}

// write makes a user write message after message into one chat.
func (l *life) write(userID string, random *rand.Rand) {
	chat, made := decode[wire.Chat](l.client, post(userID, "/chat/create", wire.CreateChatRequest{ProjectID: "demo"}))
	for made && l.goesOn() {
		m := l.ledger.write(userID, chat.ChatID, l.words.say(random))
		r := sending(m)
		r.sent = func() { l.client.happens(messageSent) }
		if _, answered := decode[wire.SendMessageResponse](l.client, r); answered {
			l.ledger.answered(m)
			l.client.happens(messageAnswered)
		}
	}
}

// review picks pending memories. Up to crowd reviewers decide on each of them at the same time.
func (l *life) review(random *rand.Rand) {
	for l.goesOn() {
		userID := users[random.IntN(len(users))]
		pending, _ := decode[wire.ListPendingMemoriesResponse](l.client, get("/memory-approvals/pending?user_id="+userID))
		random.Shuffle(len(pending.Approvals), func(i, j int) {
			pending.Approvals[i], pending.Approvals[j] = pending.Approvals[j], pending.Approvals[i]
		})
		for _, memory := range pending.Approvals[:min(3, len(pending.Approvals))] {
			var all sync.WaitGroup
			for range 1 + random.IntN(crowd) {
				action := pick(random, userID)
				all.Go(func() { l.decide(action, memory) })
			}
			all.Wait()
		}
	}
}

func pick(random *rand.Rand, userID string) string {
	switch n := random.IntN(10); {
	case n < 2 && forgetful[userID]:
		return actionDelete
	case n < 5:
		return wire.ActionReject
	}
	return wire.ActionApprove
}

func (l *life) decide(action string, memory wire.Memory) {
	if !l.goesOn() {
		return
	}
	d := l.ledger.decide(action, memory)
	r := post("", "/memory-approvals/"+memory.ID+"/action", wire.MemoryActionRequest{Action: action})
	if action == actionDelete {
		r = request{method: http.MethodDelete, path: "/memories/" + memory.ID}
	}
	r.sent = func() {
		l.ledger.sent(d)
		l.client.happens(decisionSent)
	}
	status, body := l.client.do(r)
	var told wire.MemoryActionResponse
	if status == http.StatusOK && action != actionDelete {
		told = parse[wire.MemoryActionResponse](l.t, body)
	}
	l.ledger.told(d, status, told)
	if status != 0 {
		l.client.happens(decisionAnswered)
	}
}
