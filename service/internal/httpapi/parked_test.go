package httpapi_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

var knows = field{name: "tool_calls", value: "true"}

// working is a carrier that ends after a time.
func working(d time.Duration) carrier {
	return func(ctx context.Context, _ tool.Call) tool.Outcome {
		select {
		case <-time.After(d):
			return tool.Outcome{Status: wire.CallDone, Result: "did"}
		case <-ctx.Done():
			return tool.Outcome{Status: wire.CallUnknown}
		}
	}
}

// inBubble starts a service in a synctest bubble, where time passes by itself.
func inBubble(t *testing.T, change func(*setup)) *service {
	return start(t, func(up *setup) {
		change(up)
		up.chat.Now = time.Now
	})
}

// A client that waits for a whole answer is told that the answer waits: at once if people or pages
// are asked, otherwise after 30 s. A client that can't handle calls waits for the end.
func TestHowLongAJSONSendWaits(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name   string
		fields []field
		status int
		after  time.Duration
	}{
		{"a tool that takes long", []field{knows}, 202, 30 * time.Second},
		{"a client without tool_calls", nil, 200, 45 * time.Second},
		{"a client with tool_calls false", []field{{name: "tool_calls", value: "false"}}, 200, 45 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				s := inBubble(t, withTools(t, calling("act", red), wire.ApprovalNever, working(45*time.Second), tool.PageToolsAny)).carried()
				begun := time.Now()
				w := s.send(keyed("ann", "k"), row.fields...)
				require.Equal(t, row.status, w.Code, w.Body)
				require.Equal(t, row.after, time.Since(begun).Truncate(time.Second))
				sent := decode[wire.SendMessageResponse](t, w)
				require.Equal(t, row.status == 202, sent.StreamID != "")
				again := s.send(keyed("ann", "k"), row.fields...)
				require.Equal(t, w.Body.String(), again.Body.String(), "at once")
				require.Equal(t, row.after, time.Since(begun).Truncate(time.Second))
				body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"tool_calls":%t}`, sent.ChatID, sent.MessageID, row.status == 202)
				require.Equal(t, row.status, s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), body).Code)
				require.Equal(t, 2*row.after, time.Since(begun).Truncate(time.Second))
				time.Sleep(time.Minute)
				require.Equal(t, 200, s.send(keyed("ann", "k"), row.fields...).Code, "it is done")
			})
		})
	}
}

// If only people or the page can settle the open calls, the client need not wait.
func TestClientsDontWaitForPeopleOrPages(t *testing.T) {
	t.Parallel()
	for approval, status := range map[string]string{wire.ApprovalUser: wire.CallAwaiting, wire.ApprovalAdmin: wire.CallAwaiting, wire.ApprovalNever: wire.CallApproved} {
		s := start(t, with(calling("paint", red)))
		waiting, call := s.waits(keyed("ann", "k"), painter(approval)...)
		require.Equal(t, status, call.Status)
		again, _ := s.waits(keyed("ann", "k"), painter(approval)...)
		require.Equal(t, waiting, again)
		body := fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q,"tool_calls":true,"page_tools":%s}`,
			waiting.ChatID, waiting.MessageID, defined("paint", painted(approval)))
		w := s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), body)
		require.Equal(t, 202, w.Code, w.Body)
		require.Equal(t, status, decode[wire.SendMessageResponse](t, w).Message.ToolCalls[0].Status)
	}
}

// A stream is silent while its answer waits, except for comments, and continues in the same connection.
func TestHeartbeatsOfAParkedStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inBubble(t, withTools(t, calling("act", red), wire.ApprovalUser, does, tool.PageToolsAny)).carried()
		sent := form(t, field{name: "message", value: "Hi"}, inDemo(), knows)
		r := request(t.Context(), t)
		r.Body, r.ContentLength = httptest.NewRequest("POST", "/", strings.NewReader(sent.text)).Body, int64(len(sent.text))
		response, err := s.listen(t).client(t, false).Do(r)
		require.NoError(t, err)
		begun := time.Now()
		heartbeats := 0
		var events []string
		for lines := bufio.NewScanner(response.Body); lines.Scan(); {
			if name, isEvent := strings.CutPrefix(lines.Text(), "event: "); isEvent {
				events = append(events, name)
			}
			if lines.Text() != ":" {
				continue
			}
			if heartbeats++; heartbeats == 7 {
				require.Equal(t, 70*time.Second, time.Since(begun).Truncate(time.Second))
				changed(t, s.decideCall(as("ann"), s.listsCalls(as("ann"), "")[0], approve))
			}
		}
		require.NoError(t, response.Body.Close())
		require.Equal(t, 7, heartbeats)
		require.Equal(t, []string{"start", "chunk", "tool_call", "tool_call", "tool_call", "tool_call", "chunk", "chunk", "chat_name", "complete", "end"}, events)
	})
}

// A parked stream can be resumed from any event, by any number of readers, before and after it
// continues.
func TestResumeOfAParkedStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := start(t, with(calling("paint", red)))
		waiting, call := s.waits(as("ann"), painter("user")...)
		readers := make([]chan string, 4)
		for after := range readers {
			readers[after] = make(chan string, 1)
			go func() { readers[after] <- s.resume(as("ann"), waiting.StreamID, fmt.Sprint(after)).Body.String() }()
		}
		synctest.Wait()
		refusal(t, s.resume(as("ann"), waiting.StreamID, "4"), 400, wire.CodeValidation, "last-event-id")
		refusal(t, s.resume(as("bob"), waiting.StreamID, ""), 404, wire.CodeNotFound)
		changed(t, s.decideCall(as("ann"), call.ID, deny))
		s.attend()
		s.ended(waiting.StreamID)
		blocks := strings.SplitAfter(s.resume(as("ann"), waiting.StreamID, "").Body.String(), "\n\n")
		require.Len(t, blocks, 10, "start, chunk, two of the call, two chunks, chat_name, complete, end")
		for after, reader := range readers {
			require.Equal(t, strings.Join(blocks[after:], ""), <-reader)
		}
	})
}

func (s *service) deleteChat(h headers, chatID string) {
	s.t.Helper()
	w := s.do("DELETE", "/chat/delete", h.json(), `{"project_id":"demo","chat_id":"`+chatID+`"}`)
	require.Equal(s.t, 200, w.Code, w.Body)
}

// Deleting a chat removes its calls, in every state.
func TestDeletingAChatWithCalls(t *testing.T) {
	t.Parallel()
	for _, status := range []string{wire.CallAwaiting, wire.CallApproved, wire.CallRunning} {
		synctest.Test(t, func(t *testing.T) {
			s := start(t, with(calling("paint", red)))
			callID := s.callUntil(as("ann"), wire.ApprovalUser, status)
			call := s.seen(callID)
			reader := make(chan string, 1)
			go func() { reader <- s.resume(as("ann"), call.StreamID, "1").Body.String() }()
			synctest.Wait()
			s.deleteChat(as("ann"), call.ChatID)
			require.Contains(t, <-reader, "event: error\ndata: {\"status_code\":404,")
			for name, w := range map[string]*httptest.ResponseRecorder{
				"see": s.do("GET", "/tool-calls/"+callID, as("ann"), ""), "approve": s.decideCall(as("ann"), callID, approve), "deny": s.decideCall(asServer(), callID, deny),
				"claim": s.claim(as("ann"), callID, oneClaim, painted("user")), "result": s.result(as("ann"), callID, oneClaim, "late"),
			} {
				require.Equal(t, 404, w.Code, "%s: %s", status, name)
				missing(t, w, "Call", "call_id")
			}
			require.Empty(t, s.listsCalls(asServer(), ""), status)
			require.Empty(t, s.listsCalls(as("ann"), "?chat_id="+call.ChatID), status)
			missing(t, s.resume(as("ann"), call.StreamID, ""), "Stream", "stream_id")
			missing(t, s.stop(as("ann"), call.StreamID), "Stream", "stream_id")
			s.attend() // nothing is left to do
			require.Contains(t, s.do("GET", "/metrics", asServer(), "").Body.String(), "chatsdk_answers_parked 0\n")
		})
	}
}

// A tool's result that arrives after its chat was deleted is not stored.
func TestDeletingAChatWhileAToolWorks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := inBubble(t, withTools(t, calling("act", red), wire.ApprovalNever, working(20*time.Second), tool.PageToolsAny)).carried()
		answered := make(chan *httptest.ResponseRecorder, 1)
		go func() { answered <- s.send(as("ann"), knows) }()
		time.Sleep(5 * time.Second)
		list := decode[wire.ListToolCallsResponse](t, s.do("GET", "/tool-calls?status=running", as("ann"), ""))
		require.Len(t, list.ToolCalls, 1)
		s.deleteChat(as("ann"), list.ToolCalls[0].ChatID)
		refusal(t, <-answered, 404, wire.CodeNotFound)
		time.Sleep(time.Minute)
		require.Empty(t, s.listsCalls(asServer(), ""))
		require.Contains(t, s.do("GET", "/metrics", asServer(), "").Body.String(), "chatsdk_answers_parked 0\n")
		require.Empty(t, s.log.lines("the outcome of a call is not stored yet"))
	})
}

// A stop denies waiting calls. The result of a page's running call is stored without an event.
func TestStoppingAnAnswerWithCalls(t *testing.T) {
	t.Parallel()
	for status, want := range map[string]string{wire.CallAwaiting: wire.CallDenied, wire.CallApproved: wire.CallDenied, wire.CallRunning: wire.CallRunning} {
		model := calling("paint", red)
		s := start(t, with(model))
		callID := s.callUntil(as("ann"), wire.ApprovalUser, status)
		streamID := s.seen(callID).StreamID
		receipt := decode[wire.StopReceipt](t, s.stop(as("ann"), streamID))
		require.True(t, receipt.Stopped)
		require.Equal(t, want, receipt.Message.ToolCalls[0].Status)
		events := s.resume(as("ann"), streamID, "").Body.String()
		conflicts(t, s.decideCall(as("ann"), callID, approve), want)
		if want == wire.CallRunning {
			changed(t, s.claim(as("ann"), callID, oneClaim, painted("user")))
			require.Equal(t, wire.CallDone, changed(t, s.result(as("ann"), callID, oneClaim, "red")).Status)
			require.Equal(t, "red", s.seen(callID).Result)
		} else {
			require.Equal(t, wire.ReasonStopped, s.seen(callID).Reason)
			conflicts(t, s.claim(as("ann"), callID, oneClaim, painted("user")), want)
		}
		s.attend()
		require.Equal(t, events, s.resume(as("ann"), streamID, "").Body.String(), "no further event")
		require.Len(t, model.asked(), 1, "no model is asked")
	}
}

// At most 100 answers of a user wait. An answer that need not wait is not refused, and neither is one that continues.
func TestTheHundredAndFirstParkedAnswer(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) {
		with(calling("paint", red))(up)
		up.chat.Agents[1].Type = wire.AgentDocument
	})
	var sent wire.SendMessageResponse
	var call wire.ToolCall
	for range chat.MaxParked {
		sent, call = s.waits(as("ann"), painter("user")...)
	}
	before := s.listsCalls(as("ann"), "")
	w := s.send(keyed("ann", "k"), painter("user")...)
	refusal(t, w, 429, wire.CodeQuotaExceeded)
	require.NotEmpty(t, w.Header().Get("Retry-After"))
	refusal(t, s.offers(as("ann"), sent.ChatID, sent.MessageID, defined("paint", paint)), 429, wire.CodeQuotaExceeded)
	require.Equal(t, before, s.listsCalls(as("ann"), ""))
	require.Equal(t, 200, s.send(as("ann")).Code, "an answer without tools never waits")
	s.waits(as("bob"), painter("user")...)

	changed(t, s.decideCall(as("ann"), call.ID, deny))
	s.attend()
	require.Equal(t, "I ask.\n\nDone.", s.ended(sent.StreamID).Content)
	s.waits(keyed("ann", "k"), painter("user")...)
}
