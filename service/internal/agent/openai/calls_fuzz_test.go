package openai_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// However the arguments of several calls are cut and mixed, the calls are the same.
func FuzzCalls(f *testing.F) {
	f.Add(uint64(1), `{"key":"a"}`, `{"text":"Grüße 🙂 日本\n"}`, true, false)
	f.Add(uint64(2), `{"key":"\ud83d\ude42 \\ud83d"}`, "", false, false)
	f.Add(uint64(3), "\\", `"`, true, true)
	f.Add(uint64(4), `[1, 2`, "null", false, true)
	f.Fuzz(func(t *testing.T, seed uint64, first, second string, indexed, escaped bool) {
		random := rand.New(rand.NewPCG(seed, 7))
		want := []toolcall.ModelCall{
			called("c1", "lookup", fuzzed(first)), called("c2", "order", fuzzed(second)), called("c3", "lookup", fuzzed(first+second)),
		}
		var stream strings.Builder
		stream.WriteString(begun(indexed, want))
		for _, event := range mixed(random, indexed, escaped, want) {
			stream.WriteString(event)
		}
		m := newModel(t, streams(stream.String()+ends("tool_calls"), closed))
		got := read(t, m.provider(t).Answer(t.Context(), withTools()))
		require.NoError(t, got.err, "%s", stream.String())
		require.Equal(t, wire.FinishStop, got.finish)
		for i := range want {
			if want[i].Arguments == "" {
				want[i].Arguments = "{}"
			}
		}
		require.Equal(t, want, got.calls, "%s", stream.String())
	})
}

// fuzzed is the part of a text that fits into a JSON string.
func fuzzed(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, "?"))
}

// begun is the event in which calls with an index begin.
func begun(indexed bool, calls []toolcall.ModelCall) string {
	if !indexed {
		return first()
	}
	var heads []string
	for i, call := range calls {
		heads = append(heads, head(i, call.ID, call.Name, ""))
	}
	return parts(heads...)
}

// mixed are the events with the arguments of calls, cut at any byte, or between the halves of an
// escaped code point. With an index the calls alternate.
func mixed(random *rand.Rand, indexed, escaped bool, calls []toolcall.ModelCall) (events []string) {
	queues := make([][]string, len(calls))
	for i, call := range calls {
		for _, piece := range pieces(random, call.Arguments, escaped) {
			index := -1
			if indexed {
				index = i
			}
			queues[i] = append(queues[i], fmt.Sprintf(`{%s"function":{"arguments":%s}}`, place(index), piece))
		}
	}
	if !indexed {
		for i, call := range calls {
			events = append(events, parts(head(-1, call.ID, call.Name, "")))
			for _, piece := range queues[i] {
				events = append(events, parts(piece))
			}
		}
		return events
	}
	for left := true; left; {
		left = false
		var together []string
		for i := range queues {
			if len(queues[i]) > 0 && random.IntN(2) == 0 {
				together = append(together, queues[i][0])
				queues[i] = queues[i][1:]
			}
			left = left || len(queues[i]) > 0
		}
		events = append(events, parts(together...))
	}
	return events
}

// pieces cuts a text into JSON strings.
func pieces(random *rand.Rand, text string, escaped bool) (all []string) {
	if !escaped {
		for text != "" {
			n := 1 + random.IntN(min(len(text), 7))
			all = append(all, literal(text[:n]))
			text = text[n:]
		}
		return all
	}
	for _, unit := range utf16.Encode([]rune(text)) {
		all = append(all, fmt.Sprintf(`"\u%04x"`, unit))
	}
	return all
}
