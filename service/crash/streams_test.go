package crash_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/crash/witness"
)

const (
	// streaming is how many answers are streamed at the same time.
	streaming = 50
	// piecesPerAnswer is how many pieces an answer has.
	piecesPerAnswer = 60
)

// A service that is killed while it writes answers loses nothing that a reader received. After the
// restart, each answer is complete or marked as failed. Its stream ends and can be resumed after any
// event, and a request with the same key returns the same answer.
func TestKilledWhileStreamsRun(t *testing.T) {
	t.Logf("-seed %d", *seed)
	s := newStreams(t)
	for range *streamKills {
		p := start(t, s.folder, s.env)
		s.check(p)
		s.live(p)
		require.Zero(t, openJobs(t, s.folder), "test messages are not examined")
	}
	p := start(t, s.folder, s.env)
	s.check(p)
	p.Stop()
	t.Logf("%d kills: %s", *streamKills, s.counts)
	require.Positive(t, s.counts.broken, "no kill interrupted an answer")
}

// streams is the test of streams on one data folder.
type streams struct {
	t      *testing.T
	folder string
	env    []string
	random *rand.Rand
	counts *streamCounts
	// last are the answers of the last run of the service, before those of the run before it.
	before, last []*reading
	number       int

	mu    sync.Mutex
	calls map[string]int // model calls, by question
}

// streamCounts counts how the answers ended.
type streamCounts struct{ whole, broken, unsent, read, resumed int }

func (c *streamCounts) String() string {
	return fmt.Sprintf("%d complete answers and %d marked as failed, %d of them before their reader had received an event; "+
		"%d events read before the kills, and %d resumes", c.whole, c.broken, c.unsent, c.read, c.resumed)
}

func newStreams(t *testing.T) *streams {
	s := &streams{
		t: t, folder: newFolder(t), random: rand.New(rand.NewPCG(*seed, streaming)),
		counts: &streamCounts{}, calls: map[string]int{},
	}
	m := newModel(t)
	m.say = s.say
	s.env = append(m.env(), "STREAMS_PER_USER=0")
	return s
}

// pieces returns the pieces of the answer to a question.
func pieces(question string) []string {
	all := make([]string, piecesPerAnswer)
	for i := range all {
		all[i] = fmt.Sprintf("%s: Wörter 😀 %d; ", question, i)
	}
	return all
}

func (s *streams) say(w http.ResponseWriter, question string) error {
	s.mu.Lock()
	s.calls[question]++
	s.mu.Unlock()
	for _, piece := range pieces(question) {
		text, err := json.Marshal(piece)
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%s}}]}`+"\n\n", text); err != nil {
			return nil // the service was killed
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			return nil
		}
	}
	_, _ = fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n") // the service may have been killed
	return nil
}

// reading is one answer and what its reader received of it.
type reading struct {
	userID, chatID, question, key string
	// seen are the events up to the kill.
	seen []sdk.Event
	// whole is the stream as it was received after the restart.
	whole string
}

func (r *reading) options() sdk.SendMessageOptions {
	return sdk.SendMessageOptions{ChatID: r.chatID, IdempotencyKey: r.key, IsTest: true, IgnoreChatHistory: true}
}

// live reads all answers of a run at the same time, and kills the service after a random number of
// events.
func (s *streams) live(p *witness.Process) {
	c := newClient(s.t, p)
	defer c.close()
	end := &countdown{left: moment{after: streamRead, n: 1 + s.random.IntN(streaming*piecesPerAnswer*3/4)}}
	end.strike = p.Kill
	c.over = end.over
	s.before, s.last = s.last, s.ask(c)
	var all sync.WaitGroup
	for _, r := range s.last {
		client := s.client(c, r.userID)
		all.Go(func() { s.read(client, r, end) })
	}
	all.Wait()
	end.now() // if all answers ended before that
	p.UntilKilled()
	for _, r := range s.last {
		s.counts.read += len(r.seen)
	}
}

// ask returns the questions of a run, several in each chat.
func (s *streams) ask(c *client) []*reading {
	chats := map[string]string{}
	for _, userID := range users {
		chats[userID] = must[wire.Chat](c, post(userID, "/chat/create", wire.CreateChatRequest{ProjectID: "demo", Name: "c"})).ChatID
	}
	all := make([]*reading, streaming)
	for i := range all {
		s.number++
		userID := users[i%len(users)]
		question := fmt.Sprint("Question ", s.number)
		all[i] = &reading{userID: userID, chatID: chats[userID], question: question, key: fmt.Sprint("key-", s.number)}
	}
	return all
}

// client returns an SDK client that neither retries nor resumes.
func (s *streams) client(c *client, userID string) *sdk.Client {
	s.t.Helper()
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: c.url, ProjectID: "demo", APIKey: witness.APIKey, APISecret: witness.APISecret, UserID: userID, MaxRetries: -1, ResumeTimeout: -1,
		Transport: &nethttp.Transport{Client: c.http},
	})
	require.NoError(s.t, err)
	return client
}

func (s *streams) read(client *sdk.Client, r *reading, end *countdown) {
	for event, err := range client.Stream(s.t.Context(), r.question, r.options()) {
		if err != nil {
			if !end.over() {
				s.t.Errorf("%s: %v", r.question, err)
			}
			return
		}
		if event.ID > 0 { // the SDK itself creates events without an id
			r.seen = append(r.seen, event)
		}
		end.happens(streamRead)
	}
}

// text joins the chunks of an answer.
func text(events []sdk.Event) string {
	var all strings.Builder
	for _, event := range events {
		if event.Type == wire.EventChunk {
			all.WriteString(event.Text)
		}
	}
	return all.String()
}
