package sdk_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// keeper is a service that keeps the events of one answer, s1, and sends them after the event that a
// request names.
type keeper struct {
	events []written
	// spoil replaces the reply of the n-th connection, from 0 on, which would send text. Nil
	// replaces nothing.
	spoil func(n int, text string) reply
	// stored, history and stop are the replies to requests for the stored message, for the whole chat,
	// and to stop. Nil means 404.
	stored, history, stop func() reply

	mutex       sync.Mutex
	bodies      script // has the bodies of all connections
	connections int
	asked       []string // method, path, and the last event id if there is one
	keys        []string
	times       []time.Time
}

func (k *keeper) Do(ctx context.Context, request *sdk.Request) (*sdk.Response, error) {
	answer := k.answer(request)
	if answer.hang {
		<-ctx.Done()
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if answer.err != nil {
		return nil, answer.err
	}
	if answer.status == 0 {
		answer.status = http.StatusOK
	}
	if answer.body == nil {
		answer.body = reads()
	}
	answer.body.ctx, answer.body.script = ctx, &k.bodies
	k.bodies.open.Add(1)
	return &sdk.Response{Status: answer.status, Header: answer.get, Body: answer.body}, nil
}

func (k *keeper) answer(request *sdk.Request) reply {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	path := strings.TrimPrefix(request.URL, "https://api.example.com")
	from := request.Header["last-event-id"]
	k.asked = append(k.asked, strings.TrimSpace(request.Method+" "+path+" "+from))
	k.keys = append(k.keys, request.Header["idempotency-key"])
	k.times = append(k.times, time.Now())
	switch {
	case strings.HasSuffix(path, "/stop"):
		return or404(k.stop)
	case strings.HasPrefix(path, "/project/p1/chat/c1/message/"):
		return or404(k.stored)
	case strings.HasSuffix(path, "/all"):
		return or404(k.history)
	}
	n := k.connections
	k.connections++
	after, _ := strconv.Atoi(from)
	text := stream(k.events[after:]...)
	if k.spoil == nil {
		return streamReply(text)
	}
	return k.spoil(n, text)
}

func or404(make func() reply) reply {
	if make == nil {
		return missing("message_id")
	}
	return make()
}

// missing is the service's own 404, which names the field of the missing thing.
func missing(field string) reply {
	return reply{status: 404, body: reads(`{"status_code":404,"error":{"code":"ENTITY_NOT_FOUND","message":"m","invalid_fields":["` + field + `"]}}`)}
}

// log returns the requests so far.
func (k *keeper) log() []string {
	k.mutex.Lock()
	defer k.mutex.Unlock()
	return append([]string(nil), k.asked...)
}

// open makes a client that talks to the keeper.
func (k *keeper) open(t testing.TB, config sdk.Config) *sdk.Client {
	t.Helper()
	config.Transport = k
	client, err := sdk.New(config)
	require.NoError(t, err)
	t.Cleanup(k.bodies.open.Wait) // a whole stream is closed in the background
	return client
}

// cutAt is a connection that sends the first bytes of a text, in pieces of the given size.
func cutAt(text string, at, size int, end error) reply {
	return reply{header: streamHeader(), body: &body{left: pieces(text[:min(at, len(text))], size), end: end}}
}

// silentAt is a connection that sends the first bytes of a text, and then stays open and silent.
func silentAt(text string, at int) reply {
	return reply{header: streamHeader(), body: &body{left: pieces(text[:at], len(text)+1), hang: true}}
}

// short is an answer with events of several kinds.
func short() []written {
	return numbered(start(), chunk("Hé"), written{event: "document_chunk", data: `{"text":"d"}`}, chunk("llo 😀"),
		written{event: "chat_name", data: `{"name":"N"}`}, complete("Hé", "llo 😀"), end())
}

// requireWhole checks that an outcome has all events, each once and in order.
func requireWhole(t testing.TB, events []written, got outcome, what ...any) {
	t.Helper()
	require.NoError(t, got.err, what...)
	require.Len(t, got.events, len(events), what...)
	for i, event := range events {
		require.Equal(t, event.event, got.events[i].Type, what...)
		if event.event != wire.EventEnd || got.events[i].ID != 0 { // the client makes up an end event that never arrived, without an id
			require.EqualValues(t, i+1, got.events[i].ID, what...)
		}
		var data struct{ Text, Name string }
		_, text, _ := strings.Cut(event.String(), "\ndata: ")
		require.NoError(t, json.Unmarshal([]byte(text), &data), what...)
		require.Equal(t, data.Text+data.Name, got.events[i].Text, what...)
	}
	require.NotNil(t, got.complete)
	require.Equal(t, got.text, got.complete.Content, what...)
}
