package sdk_test

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const (
	sends   = "POST /v3/chat/message"
	resumes = "GET /v3/chat/stream/s1"
	stored  = "GET /project/p1/chat/c1/message/m2"
	history = "GET /project/p1/chat/c1/all"
)

func TestAnAnswerThatIsCutAtAnyByteIsResumed(t *testing.T) {
	t.Parallel()
	text := stream(short()...)
	begun := strings.Index(text, "\n\n") + 2
	for how, end := range ends() {
		for _, size := range []int{1, 7, len(text)} {
			t.Run(how, func(t *testing.T) {
				t.Parallel()
				for at := range len(text) {
					k := &keeper{events: short(), spoil: func(n int, text string) reply {
						return cutAt(text, []int{at, len(text)}[min(n, 1)], size, end)
					}}
					requireWhole(t, k.events, outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{}), "cut at %d", at)
					again := sends
					if at >= begun {
						again = resumes + " " + strconv.Itoa(strings.Count(text[:at], "\n\n"))
					}
					require.Equal(t, []string{sends, again}, k.log(), "cut at %d", at)
					require.Equal(t, again == sends, k.keys[0] == k.keys[1])
				}
			})
		}
	}
}

// Every connection brings only some bytes, so that resumes are cut too.
func TestAnAnswerWhoseResumesAreCutToo(t *testing.T) {
	t.Parallel()
	longest := 0
	for _, event := range short() {
		longest = max(longest, len(event.String()))
	}
	for how, end := range ends() {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			config := retryConfig()
			config.MaxRetries = 1 // an event resets the number of tries
			for at := longest; at < len(stream(short()...)); at++ {
				k := &keeper{events: short(), spoil: func(_ int, text string) reply { return cutAt(text, at, 5, end) }}
				requireWhole(t, k.events, outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{}), "cut at %d", at)
			}
		})
	}
}

func TestACutAtEachBoundaryAsksForTheNextEvent(t *testing.T) {
	t.Parallel()
	for seen := 1; seen < len(short()); seen++ {
		k := &keeper{events: short(), spoil: func(n int, text string) reply {
			if n == 0 {
				text = stream(short()[:seen]...)
			}
			return streamReply(text)
		}}
		requireWhole(t, k.events, outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{}))
		require.Equal(t, []string{sends, resumes + " " + string(rune('0'+seen))}, k.log())
		require.Equal(t, "", k.keys[1])
	}
}

func TestWhatAConnectionDamagesIsRepaired(t *testing.T) {
	t.Parallel()
	whole := short()
	damaged := slices.Clone(whole)
	damaged[3].data = `{"text":"llo`
	tests := []struct {
		name  string
		first string // the text of the first connection
		asked []string
	}{
		{"a gap", stream(whole[0], whole[1], whole[3], whole[4]), []string{sends, resumes + " 2"}},
		{"a gap before the first event", stream(whole[1:]...), []string{sends, sends}},
		{"a gap before the end", stream(slices.Concat(whole[:5], whole[6:])...), []string{sends, resumes + " 5"}},
		{"events twice", stream(whole[0], whole[1], whole[1], whole[0], whole[2]), []string{sends, resumes + " 3"}},
		{"broken data", stream(damaged...), []string{sends, resumes + " 3"}},
		{"an end too early", stream(whole[0], whole[1], written{id: 3, event: "end", data: "{}"}), []string{sends, resumes + " 2"}},
		{"nothing at all", "", []string{sends, sends}},
		{"only heartbeats", ": beat\n\n: beat\n\n", []string{sends, sends}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{events: whole, spoil: func(n int, text string) reply {
				if n == 0 {
					text = test.first
				}
				return streamReply(text)
			}}
			requireWhole(t, whole, outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{}))
			require.Equal(t, test.asked, k.log())
		})
	}
}

func TestAStreamThatCannotBeResumed(t *testing.T) {
	t.Parallel()
	unnamed := written{event: wire.EventStart, data: `{"chat_id":"c1"}`}
	tests := []struct{ name, stream, partial string }{
		{"without ids", stream(start(), chunk("a"), chunk("b")), "ab"},
		{"without a start", stream(chunk("a"), chunk("b")), "ab"},
		{"without a start, numbered", stream(numbered(chunk("a"), chunk("b"))...), "ab"},
		{"without a stream id", stream(numbered(unnamed, chunk("a"))...), "a"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{events: short(), spoil: func(int, string) reply { return streamReply(test.stream) }}
			got := outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{})
			requireCut(t, got.err)
			require.Equal(t, test.partial, got.err.(*sdk.APIError).Partial)
			require.Equal(t, test.partial, got.text)
			require.Equal(t, []string{sends}, k.log())
		})
	}
}

func TestWhenNothingHelps(t *testing.T) {
	t.Parallel()
	refused := errors.New("connection refused")
	tests := []struct {
		name   string
		resume func() reply
		status int
		code   string
		again  bool
	}{
		{"no connection", func() reply { return reply{err: refused} }, 0, wire.CodeStreamCut, true},
		{"no headers", func() reply { return reply{hang: true} }, 0, wire.CodeStreamCut, true},
		{"cuts", func() reply { return streamReply() }, 0, wire.CodeStreamCut, true},
		{"silence", func() reply { return silentAt("", 0) }, 0, wire.CodeStreamCut, true},
		{"a web page that claims success", func() reply { return proxied(200) }, 0, wire.CodeStreamCut, true},
		{"a busy service", func() reply { return coded(503, wire.CodeUnavailable) }, 503, wire.CodeUnavailable, true},
		{"a chat that was deleted", func() reply { return coded(404, wire.CodeNotFound) }, 404, wire.CodeNotFound, false},
		{"an expired token", func() reply { return coded(401, wire.CodeTokenExpired) }, 401, wire.CodeTokenExpired, false},
		{"a fault of the service", func() reply { return coded(500, wire.CodeInternal) }, 500, wire.CodeInternal, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				k := &keeper{events: short(), spoil: func(n int, text string) reply {
					if n == 0 {
						return streamReply(stream(short()[:4]...))
					}
					return test.resume()
				}}
				var h heard
				begun := time.Now()
				require.NoError(t, k.open(t, pageResumes()).SendMessageStream(t.Context(), "hi", h.options()))
				require.Equal(t, []string{"chunk Hé", "document d", "chunk llo 😀", "error", "end"}, h.list)
				failure := h.errs[0].(*sdk.APIError)
				require.Equal(t, test.status, failure.Status)
				require.Equal(t, test.code, failure.Code)
				require.Equal(t, "Héllo 😀", failure.Partial)
				if test.name == "no connection" {
					require.ErrorIs(t, failure, refused)
				}
				if !test.again {
					require.Len(t, k.log(), 2)
					return
				}
				require.GreaterOrEqual(t, time.Since(begun), 59*time.Second)
				require.LessOrEqual(t, time.Since(begun), 60*time.Second+sdk.DefaultStallTimeout)
			})
		})
	}
}

func TestAnAnswerIsWholeWithoutItsEndEvent(t *testing.T) {
	t.Parallel()
	whole := short()
	for name, rest := range map[string]reply{
		"no connection": {err: errors.New("refused")}, "gone": coded(410, wire.CodeStreamGone), "deleted": coded(404, wire.CodeNotFound),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k := &keeper{events: whole, spoil: func(n int, text string) reply {
				if n == 0 {
					return streamReply(stream(whole[:6]...))
				}
				again := rest
				again.body = reads()
				return again
			}}
			got := outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{})
			require.NoError(t, got.err)
			require.Equal(t, "start chunk document_chunk chunk chat_name complete end", got.types())
		})
	}
}

// storedAs is the reply with a stored answer that has these fields.
func storedAs(fields string) func() reply {
	return func() reply {
		return jsonReply(`{"id":"m2","chat_id":"c1","role":"assistant",` + fields + `}`)
	}
}

func TestAnAnswerWhoseEventsAreGone(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		stored  func() reply
		types   string
		text    string
		content string // of the completed answer
		partial string // the Partial of the failure
	}{
		{"the rest comes as one chunk", storedAs(`"content":"Héllo 😀!","finish_reason":"stop"`), "start chunk chunk complete end", "Héllo 😀!", "Héllo 😀!", ""},
		{"nothing was missing", storedAs(`"content":"Hé","finish_reason":"stopped"`), "start chunk complete end", "Hé", "Hé", ""},
		{"what is stored differs", storedAs(`"content":"Other","finish_reason":"stop"`), "start chunk complete end", "Hé", "Other", ""},
		{"what is stored is shorter", storedAs(`"content":"H","finish_reason":"stop"`), "start chunk complete end", "Hé", "H", ""},
		{"it failed", storedAs(`"content":"Héllo","finish_reason":"error"`), "start chunk", "Hé", "", "Héllo"},
		{"it is unfinished", storedAs(`"content":"Héllo","stream_id":"s1"`), "start chunk", "Hé", "", "Hé"},
		{"it is not there", func() reply { return missing("message_id") }, "start chunk", "Hé", "", "Hé"},
		{"its chat is not there", func() reply { return missing("chat_id") }, "start chunk", "Hé", "", "Hé"},
	}
	for _, test := range tests {
		for _, status := range []int{410, 400} {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				k := &keeper{events: short(), stored: test.stored, spoil: func(n int, text string) reply {
					if n == 0 {
						return streamReply(stream(short()[:2]...))
					}
					return coded(status, wire.CodeStreamGone)
				}}
				got := outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{})
				require.Equal(t, test.types, got.types())
				require.Equal(t, test.text, got.text)
				require.Equal(t, []string{sends, resumes + " 2", stored}, k.log())
				if test.content != "" {
					require.NoError(t, got.err)
					require.Equal(t, test.content, got.complete.Content)
					return
				}
				failure := apiError(t, got.err)
				require.Equal(t, wire.CodeStreamCut, failure.Code)
				require.Equal(t, test.partial, failure.Partial)
			})
		}
	}
}

func TestAStalledStreamIsResumed(t *testing.T) {
	t.Parallel()
	text := stream(short()...)
	for _, timeout := range []time.Duration{0, 200 * time.Millisecond} {
		t.Run(timeout.String(), func(t *testing.T) {
			t.Parallel()
			config := retryConfig()
			config.StallTimeout = timeout
			want := timeout
			if want == 0 {
				want = 25 * time.Second
			}
			for at := 0; at < len(text); at += 3 {
				synctest.Test(t, func(t *testing.T) {
					k := &keeper{events: short(), spoil: func(n int, text string) reply {
						if n == 0 {
							return silentAt(text, at)
						}
						return streamReply(text)
					}}
					requireWhole(t, k.events, outcomeOf(t, k.open(t, config), sdk.SendMessageOptions{}))
					require.Equal(t, want, k.times[1].Sub(k.times[0]))
				})
			}
		})
	}
}

func TestAStreamThatStallsAgainAndAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), spoil: func(_ int, text string) reply { return silentAt(text, 0) }}
		got := outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{})
		require.Equal(t, wire.CodeStreamCut, apiError(t, got.err).Code)
		require.ErrorContains(t, errors.Unwrap(got.err), "silent")
		require.Equal(t, []string{sends, sends, sends}, k.log())
	})
}

// A wake checks the clock. It does not cut a stream that brought something a moment ago.
func TestWakeDoesNotCutALiveStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := &keeper{events: short(), spoil: func(n int, text string) reply {
			if n == 0 {
				return silentAt(text, len(text)/2)
			}
			return streamReply(text)
		}}
		client := k.open(t, retryConfig())
		done := make(chan outcome, 1)
		go func() { done <- outcomeOf(t, client, sdk.SendMessageOptions{}) }()
		for range 24 {
			time.Sleep(time.Second)
			client.Wake()
			synctest.Wait()
			require.Len(t, k.log(), 1)
		}
		requireWhole(t, k.events, <-done)
		require.Equal(t, 25*time.Second, k.times[1].Sub(k.times[0]), "the wakes have not delayed it")
	})
}

func TestAWakeResumesAStreamThatWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		config := retryConfig()
		config.RetryDelay = 8 * time.Second
		k := &keeper{events: short(), spoil: func(n int, text string) reply {
			return cutAt(text, []int{150, 0, len(text)}[min(n, 2)], 9, io.ErrUnexpectedEOF)
		}}
		client := k.open(t, config)
		done := make(chan outcome, 1)
		begun := time.Now()
		go func() { done <- outcomeOf(t, client, sdk.SendMessageOptions{}) }()
		for range 2 {
			synctest.Wait()
			client.Wake()
		}
		requireWhole(t, k.events, <-done)
		require.Zero(t, time.Since(begun))
	})
}

func TestFailuresOfStreamsSayHow(t *testing.T) {
	t.Parallel()
	k := &keeper{events: short(), spoil: func(int, string) reply { return reply{hang: true} }}
	synctest.Test(t, func(t *testing.T) {
		got := outcomeOf(t, k.open(t, retryConfig()), sdk.SendMessageOptions{})
		require.Equal(t, wire.CodeTimeout, apiError(t, got.err).Code, "no headers came, so nothing was cut")
	})
	require.Equal(t, []string{sends, sends, sends}, k.log())
}
