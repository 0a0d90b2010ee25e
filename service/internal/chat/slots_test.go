package chat_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// hung are tools that answer only at the end of the test, but for fast ones, and count what runs.
type hung struct {
	mu    sync.Mutex
	begun map[string]int // by tool and by user
	more  chan struct{}
	end   chan struct{}
}

func newHung(t *testing.T) *hung {
	h := &hung{begun: map[string]int{}, more: make(chan struct{}, 10_000), end: make(chan struct{})}
	t.Cleanup(func() { close(h.end) })
	return h
}

// of is the carrier of a tool.
func (h *hung) of(name string) tool.Carrier { return hungTool{h, name} }

type hungTool struct {
	*hung
	name string
}

func (h hungTool) Carry(ctx context.Context, call tool.Call) tool.Outcome {
	h.mu.Lock()
	h.begun[h.name]++
	h.begun[call.UserID]++
	h.mu.Unlock()
	h.more <- struct{}{}
	if h.name != "fast" {
		select {
		case <-h.end:
		case <-ctx.Done():
		}
	}
	return tool.Outcome{Status: wire.CallDone, Result: "done"}
}

func (h *hung) count(of string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.begun[of]
}

// wait waits until this many calls have begun since the last wait.
func (h *hung) wait(count int) {
	for range count {
		<-h.more
	}
}

// hangingTools are slow tools at one address, and fast at the same.
func hangingTools(t *testing.T, h *hung, names ...string) func(*chat.Config) {
	var all []*tool.Tool
	for _, name := range append(names, "fast") {
		one, err := tool.New(tool.Definition{
			Kind: wire.ToolHTTP, Name: name, Description: "Does " + name, Address: "http://127.0.0.1/" + name, Parameters: wire.JSON(schema), Approval: wire.ApprovalNever,
		}, h.of(name))
		require.NoError(t, err)
		all = append(all, one)
	}
	set, err := tool.NewSet(all, nil, tool.PageToolsAny)
	require.NoError(t, err)
	return agents(answering.Agent{ID: "assistant", Name: "Assistant", Tools: set})
}

// manyOf is a model that makes this many calls of the tool that the message names, and one if it is fast.
func manyOf(count int) answering.Provider {
	return script(func(_ context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		name := prompt.Messages[len(prompt.Messages)-1].Text
		for i := range count {
			if len(prompt.Rounds) == 0 && (i == 0 || name != "fast") && !yield(calls(name, `{"n":1}`), nil) {
				return
			}
		}
		yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
	})
}

// parked waits until this many answers are parked.
func (s *service) parked(count int) {
	s.t.Helper()
	require.Eventually(s.t, func() bool {
		now, err := s.Parked(s.t.Context())
		return err == nil && now == count
	}, time.Minute, time.Millisecond)
}

func userNumber(i int) access.Caller { return user(fmt.Sprint("user", i)) }

// One user's 11 messages with 25 calls each of a tool that hangs hold up neither another user, nor that
// user's calls of another tool.
func TestOneUsersSlowCallsHoldUpNobodyElse(t *testing.T) {
	t.Parallel()
	h := newHung(t)
	s := start(t, manyOf(25), hangingTools(t, h, "slow")).carried()
	for range 11 {
		s.send(ann, chat.Send{Message: "slow", Offer: knows})
	}
	h.wait(toolcall.DefaultRunningCallsPerUser)
	require.Equal(t, wire.CallDone, s.ask(userNumber(1), chat.Send{Message: "fast", Offer: knows}).Message.ToolCalls[0].Status)
	require.Equal(t, wire.CallDone, s.ask(ann, chat.Send{Message: "fast", Offer: knows}).Message.ToolCalls[0].Status)
	require.Equal(t, toolcall.DefaultRunningCallsPerUser, h.count("slow"))
}

// All users together fill no more than a tool's share, and with everything full, one call of another tool
// still runs.
func TestToolsThatHangHoldUpNoOtherTool(t *testing.T) {
	t.Parallel()
	h := newHung(t)
	s := start(t, manyOf(25), hangingTools(t, h, "slow", "slower", "slowest"),
		limits(chat.Limits{RunningCalls: 40, RunningCallsPerUser: 25, RunningCallsPerTool: 10})).carried()
	for i, name := range []string{"slow", "slower"} {
		s.send(userNumber(i), chat.Send{Message: name, Offer: knows})
		h.wait(10)
	}
	for i := range 3 {
		s.send(userNumber(2+i), chat.Send{Message: "slowest", Offer: knows})
	}
	h.wait(1)
	require.Equal(t, wire.CallDone, s.ask(ann, chat.Send{Message: "fast", Offer: knows}).Message.ToolCalls[0].Status)
	require.Equal(t, []int{10, 10, 1}, []int{h.count("slow"), h.count("slower"), h.count("slowest")})
}

// Users whose calls came later have their turn.
func TestUsersTakeTurns(t *testing.T) {
	t.Parallel()
	h := newHung(t)
	s := start(t, manyOf(25), hangingTools(t, h, "slow"), limits(chat.Limits{RunningCallsPerTool: 8, RunningCallsPerUser: 6}))
	for range 4 {
		s.send(ann, chat.Send{Message: "slow", Offer: knows})
	}
	s.parked(4)
	for i := range 3 {
		s.send(userNumber(i), chat.Send{Message: "slow", Offer: knows})
	}
	s.parked(7)
	require.NoError(t, s.Attend(t.Context()))
	h.wait(8)
	for _, who := range []string{"ann", "user0", "user1", "user2"} {
		require.Equal(t, 2, h.count(who), who)
	}
	s.Close(cancelled())
}

// A thousand approved calls of a server that is away hide no call of another tool.
func TestCallsOfAServerThatIsAwayHideNoOthers(t *testing.T) {
	t.Parallel()
	h := newHung(t)
	s := start(t, manyOf(25), hangingTools(t, h))
	store := s.config.Store.(*sqlite.Store)
	away, err := tool.NewServer(tool.ServerConfig{URL: "http://127.0.0.1:1/mcp", Prefix: "away", Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	fast, err := tool.New(tool.Definition{
		Kind: wire.ToolHTTP, Name: "fast", Description: "Is fast", Address: "http://127.0.0.1/fast", Parameters: wire.JSON(schema), Approval: wire.ApprovalNever,
	}, h.of("fast"))
	require.NoError(t, err)
	set, err := tool.NewSet([]*tool.Tool{fast}, []*tool.Server{away}, tool.PageToolsAny)
	require.NoError(t, err)
	for i := range 40 { // each has a thousand in all, of as many users as fill several pages
		fill(t, store, fmt.Sprint("other", i), "away_refund", 25)
	}
	fill(t, store, "ann", "fast", 1, fast.Digest())
	agents(answering.Agent{ID: "assistant", Name: "Assistant", Tools: set})(&s.config)
	later := s.restarted()
	require.NoError(t, later.Attend(t.Context()))
	h.wait(1)
	require.Equal(t, 1, h.count("ann"))
}

// fill parks an answer that waits for approved calls of a tool.
func fill(t *testing.T, store *sqlite.Store, userID, name string, count int, digest ...string) {
	t.Helper()
	scope := access.Scope{ProjectID: "project", UserID: userID}
	made := wire.Chat{ChatID: "chat_" + userID, UserID: userID}
	question := wire.Message{ID: "q_" + userID, ChatID: made.ChatID, Role: wire.RoleUser}
	answer := wire.Message{ID: "a_" + userID, ChatID: made.ChatID, Role: wire.RoleAssistant, AgentID: "assistant"}
	turn := chat.Turn{NewChat: &made, Question: question, Answer: answer, StreamID: "s_" + userID, Asked: &chat.Asked{Calls: true}}
	require.NoError(t, store.BeginTurn(t.Context(), scope, turn))
	var calls []toolcall.Call
	for i := range count {
		calls = append(calls, toolcall.Call{
			ToolCall: wire.ToolCall{
				ID: fmt.Sprint("call_", userID, "_", i), AgentID: "assistant", ChatID: made.ChatID, MessageID: answer.ID, StreamID: turn.StreamID, Name: name,
				Kind: wire.ToolHTTP, Tool: strings.Join(digest, ""), Status: wire.CallApproved, Arguments: `{"n":1}`, RequestedAt: float64(noon.Unix()),
			},
			Operator: true, Timeout: 60,
		})
	}
	require.NoError(t, store.ParkTurn(t.Context(), stream.Lease{StreamID: turn.StreamID, Epoch: 1}, chat.Parking{Calls: calls}))
}
