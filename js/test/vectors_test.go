package test_test

import (
	"encoding/json"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// streamVector is one of sdk/testdata/event-streams.json.
type streamVector struct {
	Name, Text string
	Events     []struct{ Type, Data string }
}

var (
	eachLine  = regexp.MustCompile(`[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$`)
	dataLine  = regexp.MustCompile(`^(\x{feff}?)data(?:: ?([^\r\n]*))?([\r\n]*)$`)
	otherLine = regexp.MustCompile(`(?m)^\x{feff}?(?:event|id)`)
)

// plain reports whether a vector's events have one line each and no name or id, so
// that they can be sent as chunks.
func (v streamVector) plain() bool {
	for _, event := range v.Events {
		if event.Type != "message" || strings.Contains(event.Data, "\n") {
			return false
		}
	}
	return v.Text != "" && !strings.Contains(v.Text, "\x00") && !otherLine.MatchString(strings.ReplaceAll(v.Text, "\r", "\n"))
}

// asChunks is the vector's text with each data line as the chunk that it holds.
func (v streamVector) asChunks(t *testing.T) string {
	return eachLine.ReplaceAllStringFunc(v.Text, func(line string) string {
		parts := dataLine.FindStringSubmatch(line)
		if parts == nil {
			return line
		}
		chunk, err := json.Marshal(map[string]string{"text": parts[2]})
		require.NoError(t, err)
		return parts[1] + "event: chunk\ndata: " + string(chunk) + parts[3]
	})
}

func plainVectors(t *testing.T) []streamVector {
	t.Helper()
	file, err := os.ReadFile("../../sdk/testdata/event-streams.json")
	require.NoError(t, err)
	var all, plain []streamVector
	require.NoError(t, json.Unmarshal(file, &all))
	for _, vector := range all {
		if vector.plain() {
			plain = append(plain, vector)
		}
	}
	require.GreaterOrEqual(t, len(plain), 20)
	return plain
}

// What a page makes of the vectors, each in pieces of seven bytes over a real
// connection. Package sse runs all of them, natively and in wasm.
func TestEventStreamVectorsInAPage(t *testing.T) {
	t.Parallel()
	vectors := plainVectors(t)
	texts := make([]string, len(vectors))
	numbers := make([]string, len(vectors))
	for i, vector := range vectors {
		texts[i], numbers[i] = vector.asChunks(t), strconv.Itoa(i)
	}
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		number, _ := strconv.Atoi(r.FormValue("message"))
		for text := texts[number]; text != ""; text = text[min(7, len(text)):] {
			_, _ = w.Write([]byte(text[:min(7, len(text))]))
			_ = http.NewResponseController(w).Flush()
		}
	})
	p := suite.SDKPage(t, service.Origin, test.ScriptPage, service.Config())
	got := test.Eval[[][]string](p, `
		const all = [];
		for (const message of $1) {
			const chunks = [];
			await sdk.sendMessageStream(message, { onChunk: (chunk) => chunks.push(chunk), onError() {} });
			all.push(chunks);
		}
		return all;`, numbers)
	for i, vector := range vectors {
		want := []string{}
		for _, event := range vector.Events {
			want = append(want, event.Data)
		}
		require.Equal(t, want, got[i], vector.Name)
	}
}
