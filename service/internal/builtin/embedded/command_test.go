package embedded_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

var tools = []answering.PromptTool{
	{Name: "weather", Description: "Tells the\nweather of a city.", Parameters: wire.JSON(`{"type":"object"}`)},
	{Name: "mail-send_2", Parameters: wire.JSON(`{"type":"object"}`)},
}

// offered is a question where there are tools.
func offered(text string) answering.Prompt {
	prompt := said("Hello", text)
	prompt.Tools = tools
	return prompt
}

func call(n int, name, arguments string) toolcall.ModelCall {
	return toolcall.ModelCall{ID: fmt.Sprint("call", n), Name: name, Arguments: arguments}
}

func TestALineWithASlashCallsATool(t *testing.T) {
	t.Parallel()
	const toolList = "There is no tool %s. The tools are:\n/weather: “Tells the weather of a city.”\n/mail-send_2\nA line such as /name {\"key\": \"value\"} calls one."
	tests := []struct {
		name, text string
		calls      []toolcall.ModelCall
		answer     string
	}{
		{"arguments unchanged", `/weather {"city":  "Rome", "days": 1e2}`, []toolcall.ModelCall{call(1, "weather", `{"city":  "Rome", "days": 1e2}`)},
			"Calling weather."},
		{"no arguments", "/weather", []toolcall.ModelCall{call(1, "weather", "{}")}, "Calling weather."},
		{"space around it", " \n/weather \n ", []toolcall.ModelCall{call(1, "weather", "{}")}, "Calling weather."},
		{"several at once", "/weather {\"city\":\"Rome\"}\n/mail-send_2\n\n/weather {\"city\":\"Bern\"}",
			[]toolcall.ModelCall{call(1, "weather", `{"city":"Rome"}`), call(2, "mail-send_2", "{}"),
				call(3, "weather", `{"city":"Bern"}`)}, "Calling weather and mail-send_2."},
		{"an object of several lines", "/weather {\n  \"city\": \"Rome\"\n}\nThanks!\n/mail-send_2 {}",
			[]toolcall.ModelCall{call(1, "weather", "{\n  \"city\": \"Rome\"\n}"), call(2, "mail-send_2", "{}")}, "Calling weather and mail-send_2."},
		{"invalid JSON", "/weather Rome\n/weather {\"city\":\n/weather {} {}",
			[]toolcall.ModelCall{call(1, "weather", "Rome"), call(2, "weather", `{"city":`), call(3, "weather", "{} {}")}, "Calling weather."},
		{"an unknown name", `/wether {"city":"Rome"}`, nil, fmt.Sprintf(toolList, "wether")},
		{"names in another case", "/Weather\n/help", nil, fmt.Sprintf(toolList, "Weather and help")},
		{"a known name beside an unknown one", "/wether\n/weather", []toolcall.ModelCall{call(1, "weather", "{}")},
			fmt.Sprintf(toolList, "wether") + "\n\nCalling weather."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			a := ask(t, offered(test.text))
			require.Equal(t, test.answer, a.text)
			require.Equal(t, test.calls, a.calls)
			require.Equal(t, a, ask(t, offered(test.text)), "equal prompts get equal answers")
			last := len(a.pieces) - 1
			require.Equal(t, answering.Piece{FinishReason: wire.FinishStop}, a.pieces[last])
			for i, made := range test.calls {
				require.Equal(t, made, *a.pieces[last-len(test.calls)+i].Call)
			}
		})
	}
}

func TestAMessageWithoutACallIsAnsweredAsBefore(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"What did I say first?", "/etc/hosts is a file", "/", "/ weather", "//weather", "Please:\n/weather {}", "I like /weather", "/weäther", "/" + strings.Repeat("n", 65), "",
	} {
		prompt := offered(text)
		with := ask(t, prompt)
		prompt.Tools = nil
		require.Equal(t, ask(t, prompt), with, text)
	}
	require.Equal(t, ask(t, said("Hello", "/weather {}")).text, "Noted: “/weather {}”.", "without tools there is nothing to call")
	old := said("/weather {}", "What did I say first?")
	old.Tools = tools
	require.Empty(t, ask(t, old).calls, "only the newest message calls")
}

func TestNoCallIsMadeIfNoneIsAllowed(t *testing.T) {
	t.Parallel()
	prompt := offered("/weather {}\n/wether {}")
	prompt.NoCalls = true
	a := ask(t, prompt)
	require.Empty(t, a.calls)
	require.Contains(t, a.text, "There is no tool wether.")
	prompt = offered("/weather {}")
	prompt.NoCalls = true
	a = ask(t, prompt)
	require.Empty(t, a.calls)
	require.Equal(t, "No tool may be called now.", a.text)
}

func TestTheOutcomeOfACallIsQuoted(t *testing.T) {
	t.Parallel()
	round := func(outcomes ...answering.RoundCall) answering.Round {
		var r answering.Round
		for i, outcome := range outcomes {
			outcome.ModelCall = call(i+1, "weather", "{}")
			r.Calls = append(r.Calls, outcome)
		}
		return r
	}
	done := func(result string) answering.RoundCall {
		return answering.RoundCall{Status: wire.CallDone, Result: result}
	}
	is := func(status string) answering.RoundCall { return answering.RoundCall{Status: status} }
	const gave = "weather is done. It gave:\n> "
	long := strings.Repeat("🙂", 2001)
	tests := []struct {
		name   string
		rounds []answering.Round
		answer string
	}{
		{"done", []answering.Round{round(done(`{"degrees": 18}`))}, gave + `{"degrees": 18}`},
		{"nothing", []answering.Round{round(done(""))}, "weather is done, and gave nothing."},
		{"denied", []answering.Round{round(is(wire.CallDenied))}, "weather was denied, and was not carried out."},
		{"denied with a reason", []answering.Round{round(answering.RoundCall{Status: wire.CallDenied, Reason: "not today"})},
			"weather was denied, and was not carried out, with the reason:\n> not today"},
		{"failed", []answering.Round{round(answering.RoundCall{Status: wire.CallFailed, Error: "HTTP 500"})}, "weather failed:\n> HTTP 500"},
		{"an invalid call", []answering.Round{round(answering.RoundCall{Status: "invalid", Error: "n is missing"})}, "weather could not be called:\n> n is missing"},
		{"several calls", []answering.Round{round(is(wire.CallExpired), is(wire.CallUnknown))},
			"weather was not carried out, since nobody decided in time.\n\nweather was begun, and nobody knows what became of it."},
		{"several rounds", []answering.Round{round(done("a")), round(done("b"))}, gave + "a\n\n" + gave + "b"},
		{"several lines, whatever ends them", []answering.Round{round(done("one\r\ntwo\rthree\u2028four\n\n"))}, gave + "one\n> two\n> three\n> four"},
		{"what looks like a call and like another outcome", []answering.Round{round(done("/weather {}\n\nmail is done. It gave:\nx"))},
			gave + "/weather {}\n> \n> mail is done. It gave:\n> x"},
		{"a long one", []answering.Round{round(done(long))}, gave + long[:len("🙂")*2000] + "\n(These are the first 2000 of 2001 characters.)"},
		{"invalid UTF-8", []answering.Round{round(done("a\xffb"))}, gave + "a\ufffdb"},
		{"no calls", []answering.Round{{Text: "Calling."}}, "No tool may be called now."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, barred := range []bool{false, true} {
				prompt := offered("/weather {}\n/mail-send_2")
				prompt.Rounds, prompt.NoCalls = test.rounds, barred
				a := ask(t, prompt)
				require.Equal(t, test.answer, a.text)
				require.Empty(t, a.calls, "what was called is not called again")
				require.True(t, utf8.ValidString(a.text))
			}
		})
	}
}

// A call and its outcome draw on no document, whatever was found.
func TestACallHasNoSources(t *testing.T) {
	t.Parallel()
	prompt := offered("/weather {}")
	prompt.Passages = []search.Hit{}
	a := ask(t, prompt)
	require.Len(t, a.calls, 1)
	require.Equal(t, []wire.Source{}, a.pieces[0].Sources)
}

func FuzzCommands(f *testing.F) {
	f.Add("/weather {\"a\": {\"b\": [1, \"}\"]}}\n/weather")
	f.Add("/weather {\n\n/weather {}")
	f.Add("/mail-send_2\t{}\r\n/x\x00")
	f.Fuzz(func(t *testing.T, text string) {
		for _, made := range ask(t, offered(text)).calls {
			require.Contains(t, text+"{}", made.Arguments)
			require.NotEmpty(t, made.Arguments)
		}
	})
}
