package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/store/postgres/pgtest"
)

// replicas starts processes that share a database; e has settings for all of them.
func replicas(t *testing.T, database string, count int, e env) (all []*process) {
	t.Helper()
	for n := range count {
		all = append(all, start(t, sharing(database, e).with(env{"REPLICA": fmt.Sprint("r", n)})))
	}
	return all
}

// read reads a stream after an event.
func (p *process) read(streamID string, after int) *stream {
	p.t.Helper()
	header := http.Header{"Last-Event-Id": {fmt.Sprint(after)}}
	response := p.open(http.MethodGet, "/v3/chat/stream/"+streamID, header, nil)
	require.Equal(p.t, http.StatusOK, response.StatusCode)
	p.t.Cleanup(func() { _ = response.Body.Close() })
	return &stream{t: p.t, body: response.Body, lines: bufio.NewReader(response.Body)}
}

// An answer that one replica writes is read, resumed and stopped on another one.
func TestAnyReplicaServesAnyStream(t *testing.T) {
	t.Parallel()
	for _, notify := range []string{"true", "false"} {
		model := newModel(t)
		all := replicas(t, pgtest.New(t), 3, model.env().with(env{"DATABASE_NOTIFY": notify}))
		here := all[0].stream("Hi")
		c := <-model.calls
		there, late := all[1].read(here.start.StreamID, 0), all[2].read(here.start.StreamID, 1)
		text := ""
		for n := range 20 {
			c.say(fmt.Sprint(n, " "))
			text += fmt.Sprint(n, " ")
			for _, s := range []*stream{here, there, late} {
				s.untilText(text)
			}
		}
		receipt := decode[wire.StopReceipt](t, all[2].do(http.MethodPost, "/v3/chat/stream/"+here.start.StreamID+"/stop", asJSON(), ""), http.StatusOK)
		require.True(t, receipt.Stopped)
		require.Equal(t, text, receipt.Message.Content)
		for _, s := range []*stream{here, there, late} {
			require.Equal(t, text, s.complete().Message.Content)
		}
		<-c.gone
		require.Equal(t, string(all[0].resume(here.start.StreamID, "").body), string(all[1].resume(here.start.StreamID, "").body))
	}
}

// An answer whose end meets an outage of the database is whole: for its readers, in a history, and
// for a JSON request.
func TestTheDatabaseIsAwayAtTheEnd(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Settings{Durable: true})
	database, err := server.Create(t.Context())
	require.NoError(t, err)
	model := newModel(t)
	p := replicas(t, database, 1, model.env())[0]
	s := p.stream("Hi")
	c := <-model.calls
	c.say("One two")
	s.untilText("One two")
	require.NoError(t, server.Kill())
	c.finish()
	require.Equal(t, http.StatusServiceUnavailable, p.do(http.MethodGet, "/readyz", nil, "").status)
	require.NoError(t, server.Restart())
	require.Equal(t, "One two", s.complete().Message.Content)
	require.Equal(t, wire.FinishStop, p.history(s.start.ChatID).Messages[1].FinishReason)
}

// A chat that is deleted on one replica ends its answers on all.
func TestADeletionReachesAllReplicas(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	all := replicas(t, pgtest.New(t), 2, model.env())
	here := all[0].stream("Hi")
	c := <-model.calls
	c.say("One")
	here.untilText("One")
	there := all[1].read(here.start.StreamID, 0)
	there.untilText("One")
	body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q}`, here.start.ChatID)
	require.Equal(t, http.StatusOK, all[1].do(http.MethodDelete, "/chat/delete", asJSON(), body).status)
	<-c.gone
	require.Equal(t, wire.CodeNotFound, here.failure())
	require.Equal(t, wire.CodeNotFound, there.failure())
}

// A rename on one replica is told in the running answer on all of them: before its next word, or
// with it where replicas don't hear of each other and the answer is written.
func TestARenameReachesAllReplicas(t *testing.T) {
	t.Parallel()
	for _, notify := range []string{"true", "false"} {
		model := newModel(t)
		all := replicas(t, pgtest.New(t), 2, model.env().with(env{"DATABASE_NOTIFY": notify}))
		here := all[0].stream("Hi")
		c := <-model.calls
		c.say("One")
		here.untilText("One")
		there := all[1].read(here.start.StreamID, 0)
		body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"title":"Mine"}`, here.start.ChatID)
		require.Equal(t, http.StatusOK, all[1].do(http.MethodPost, "/chat/update/name", asJSON(), body).status)
		require.JSONEq(t, `{"name":"Mine"}`, string(there.until(wire.EventChatName)))
		if notify == "false" {
			c.say(" two")
		}
		require.JSONEq(t, `{"name":"Mine"}`, string(here.until(wire.EventChatName)))
		if notify == "true" {
			c.say(" two")
		}
		c.finish()
		for _, s := range []*stream{here, there} {
			require.Equal(t, "One two", s.complete().Message.Content)
		}
		told := string(all[0].resume(here.start.StreamID, "").body)
		require.Equal(t, 1, strings.Count(told, "event: chat_name\n"), "the end does not name the chat again")
		require.Equal(t, told, string(all[1].resume(here.start.StreamID, "").body))
	}
}

// The answers of a replica that was killed end, with all that anybody has seen, and
// readers elsewhere are told.
func TestADeadReplicaIsNoticed(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	all := replicas(t, pgtest.New(t), 2, model.env())
	here := all[0].stream("Hi")
	c := <-model.calls
	c.say("One two")
	there := all[1].read(here.start.StreamID, 0)
	there.untilText("One two")
	all[0].kill()
	require.Equal(t, wire.CodeUnavailable, there.failure())
	answer := all[1].history(here.start.ChatID).Messages[1]
	require.Equal(t, []string{"One two", wire.FinishError}, []string{answer.Content, answer.FinishReason})
}

// A replica that slept past its lease writes no more of what another one took over.
func TestAFormerOwnerWritesNothing(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	all := replicas(t, pgtest.New(t), 2, model.env())
	here := all[0].stream("Hi")
	c := <-model.calls
	c.say("One")
	here.untilText("One")
	there := all[1].read(here.start.StreamID, 0)
	all[0].signal(syscall.SIGSTOP)
	require.Equal(t, wire.CodeUnavailable, there.failure())
	whole := string(all[1].resume(here.start.StreamID, "").body)
	all[0].signal(syscall.SIGCONT)
	c.say(" two")
	<-c.gone
	require.Equal(t, wire.CodeUnavailable, here.failure())
	require.Equal(t, "One", here.text)
	require.Equal(t, whole, string(all[1].resume(here.start.StreamID, "").body))
	require.Equal(t, whole, string(all[0].resume(here.start.StreamID, "").body))
}

// A replica that is told to end accepts nothing new, and finishes the answers that it
// writes. It disconnects readers of answers that others write.
func TestADeployBreaksNothingOff(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	all := replicas(t, pgtest.New(t), 2, model.env())
	ending, other := all[0].stream("Hi"), all[1].stream("Hello")
	calls := []*call{<-model.calls, <-model.calls}
	for _, c := range calls {
		c.say("One")
	}
	all[0].url = "http://" + all[0].address // without the proxy that checks answers, which accepts no cut stream
	along := all[0].read(other.start.StreamID, 0)
	along.untilText("One")
	all[0].signal(syscall.SIGTERM)
	all[0].untilDraining()
	for err := error(nil); err == nil; {
		_, err = along.lines.ReadString('\n') // until it is closed
	}
	requireError(t, all[0].send("More"), http.StatusServiceUnavailable, wire.CodeUnavailable)
	for _, c := range calls {
		c.say(" two")
		c.finish()
	}
	require.Equal(t, "One two", ending.complete().Message.Content)
	require.Equal(t, "One two", other.complete().Message.Content)
	all[0].untilExit()
	require.Equal(t, "One two", all[1].history(ending.start.ChatID).Messages[1].Content)
}

// A request that arrives at all replicas at once counts once.
func TestOnceMeansOnceOnAllReplicas(t *testing.T) {
	t.Parallel()
	all := replicas(t, pgtest.New(t), 3, nil)
	for n := range 5 {
		var starts sync.Map
		var asking sync.WaitGroup
		for _, p := range all {
			for range 2 {
				asking.Go(func() {
					r := p.sendKeyed(fmt.Sprint("key", n), eventStream, "Hi")
					require.Equal(t, http.StatusOK, r.status, "%s", r.body)
					starts.Store(startOf(t, r).StreamID, true)
				})
			}
		}
		asking.Wait()
		count := 0
		starts.Range(func(any, any) bool { count++; return true })
		require.Equal(t, 1, count)
	}
	require.Len(t, all[0].chats(), 5)
}

func TestLimitsHoldOverAllReplicas(t *testing.T) {
	t.Parallel()
	all := replicas(t, pgtest.New(t), 3, env{"SENDS_PER_MINUTE": "30"})
	var taken, refused atomic.Int64
	var asking sync.WaitGroup
	for _, p := range all {
		asking.Go(func() {
			for range 25 {
				switch r := p.send("Hi"); r.status {
				case http.StatusOK:
					taken.Add(1)
				case http.StatusTooManyRequests:
					refused.Add(1)
					require.NotEmpty(t, r.header.Get("Retry-After"))
				default:
					t.Errorf("status %d: %s", r.status, r.body)
				}
			}
		})
	}
	asking.Wait()
	require.InDelta(t, 30, taken.Load(), 3, "within 10 %%: some of the limit frees up while this runs")
	require.EqualValues(t, 75, taken.Load()+refused.Load())
}

// While the database is down, requests fail, and a running answer waits for it.
func TestTheDatabaseGoesAway(t *testing.T) {
	t.Parallel()
	server := pgtest.StartFor(t, pgtest.Settings{Durable: true})
	database, err := server.Create(t.Context())
	require.NoError(t, err)
	model := newModel(t)
	p := replicas(t, database, 1, model.env())[0]
	s := p.stream("Hi")
	c := <-model.calls
	c.say("One")
	s.untilText("One")
	require.NoError(t, server.Kill())
	c.say(" two")
	r := p.do(http.MethodGet, "/project/demo/chat", nil, "")
	requireError(t, r, http.StatusServiceUnavailable, wire.CodeUnavailable)
	require.NotEmpty(t, r.header.Get("Retry-After"))
	require.Equal(t, http.StatusServiceUnavailable, p.do(http.MethodGet, "/readyz", nil, "").status)
	require.NoError(t, server.Restart())
	s.untilText("One two")
	c.say(" three")
	c.finish()
	require.Equal(t, "One two three", s.complete().Message.Content)
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/readyz", nil, "").status, "it needs no restart")
}

// A chat that was begun on one replica continues on another, with its memories and documents.
func TestReplicasShareEverything(t *testing.T) {
	t.Parallel()
	all := replicas(t, pgtest.New(t), 2, nil)
	server := asJSON()
	server["X-User-Id"] = nil
	require.Equal(t, http.StatusOK, all[1].do(http.MethodPut, "/agents/assistant/memory-settings", server, `{"memory_enabled":true}`).status)
	chatID := all[0].ask("My name is Ada, and I am allergic to nuts.").ChatID
	answer := all[1].ask("What is my name?", wire.FieldChatID, chatID)
	require.Contains(t, answer.Message.Content, "Ada")
	require.Len(t, all[0].history(chatID).Messages, 4)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		r := all[1].do(http.MethodGet, "/memory-approvals/pending", nil, "")
		require.Equal(c, http.StatusOK, r.status)
		require.Contains(c, string(r.body), "nuts")
	}, 10*time.Second, 50*time.Millisecond)
	uploaded := all[0].upload("facts.txt", []byte("The lighthouse of Amrum is 41.8 metres high."))
	require.Equal(t, http.StatusOK, uploaded.status, "%s", uploaded.body)
	require.EventuallyWithT(t, func(c *assert.CollectT) {
		for _, d := range all[1].documents() {
			require.Equal(c, wire.DocumentSynced, d.Status)
		}
	}, 10*time.Second, 50*time.Millisecond)
	message := all[1].askDocuments("How high is the lighthouse of Amrum?")
	require.True(t, strings.Contains(message.Content, "41.8"), message.Content)
	var pages wire.ListChatsResponse
	require.NoError(t, json.Unmarshal(all[1].do(http.MethodGet, "/project/demo/chat?limit=1", nil, "").body, &pages))
	require.Len(t, pages.Chats, 1)
}
