package main_test

import (
	"context"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	bench "github.com/chatsdk/chatsdk/service/internal/bench"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/memory/readings"
)

func TestEveryReadingIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.ReadMemories(t.Context(), t.TempDir(), &out, 8, 2))
	require.Contains(t, out.String(), "400 memories of 8 users")
	for _, r := range readings.Of(8) {
		require.Regexp(t, `(?m)^`+r.Name+` +\d+ +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+$`, out.String())
	}
}

// inProcess reads without a child.
type inProcess struct{}

func (inProcess) Read(_ context.Context, name string, data []byte) (read.Document, error) {
	return read.Bytes(name, data)
}

func TestImportAndSearchAreMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.ImportDocuments(t.Context(), t.TempDir(), &out, inProcess{}, 5, 2))
	require.Contains(t, out.String(), "5 documents of 20 KB")
	require.Regexp(t, `(?m)^import +\d+ +\d+ +[\d.]+$`, out.String())
	require.Regexp(t, `(?m)^search +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+ \([\d.]+ to [\d.]+\) +[\d.]+$`, out.String())
}

func TestTheWriterIsMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.HeldBySmall(t.Context(), t.TempDir(), &out))
	require.Len(t, regexp.MustCompile(`(?m)^.* +[\d.]+ +\d+$`).FindAllString(out.String(), -1), 13, out.String())
}

const (
	figure = `-?[\d.]+`
	one    = ` +` + figure + ` \(` + figure + ` to ` + figure + `\)`
	both   = one + one + ` +(` + figure + `|NaN|[+-]Inf)$` // so few may take less than can be measured
)

func TestStreamsAreMeasured(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		measure func(ctx context.Context, folder string, to io.Writer) error
		title   string
		rows    []string
	}{
		{"sends", func(ctx context.Context, folder string, to io.Writer) error {
			return bench.SendMany(ctx, folder, to, bench.InProcess, 3, 7, 2)
		}, "7 messages of 3 users at once", []string{"sends a second", "processor ms for each"}},
		{"first events", func(ctx context.Context, folder string, to io.Writer) error {
			return bench.AwaitFirst(ctx, folder, to, bench.InProcess, 3, 2, 1)
		}, "3 streams run", []string{"50th percentile", "99th percentile", "processor ms a word", "words a second"}},
		{"open streams", func(ctx context.Context, folder string, to io.Writer) error {
			return bench.HoldOpen(ctx, folder, to, bench.InProcess, 5, 1)
		}, "5 streams held open", []string{"heap and stacks", "resident"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			require.NoError(t, test.measure(t.Context(), t.TempDir(), &out))
			require.Contains(t, out.String(), test.title)
			for _, row := range test.rows {
				require.Regexp(t, `(?m)^`+row+both, out.String())
			}
		})
	}
}

// The bare handler writes the same bytes as the service, except for the ids.
func TestTheBareHandlerWritesTheSameEvents(t *testing.T) {
	t.Parallel()
	service, bare, err := bench.Pair(t.Context(), t.TempDir(), bench.InProcess)
	require.NoError(t, err)
	defer func() { require.NoError(t, errors.Join(service.Close(), bare.Close())) }()
	ids := regexp.MustCompile(`"(chat|msg|stream)_[^"]+"|"created_at":[\d.]+`)
	var answers [2]string
	for i, rival := range []*bench.Rival{service, bare} {
		answer, err := rival.Ask(t.Context(), bench.NewUser(1), bench.Question)
		require.NoError(t, err)
		answers[i] = ids.ReplaceAllString(string(answer), "")
	}
	require.Equal(t, answers[0], answers[1])
	require.Contains(t, answers[0], "event: chunk")
}

func TestUnknownSectionsAreNamed(t *testing.T) {
	t.Parallel()
	err := bench.Run(t.Context(), []string{"sends", "speed"}, io.Discard)
	require.ErrorContains(t, err, `no section "speed", want some of memories, documents, writer, sends`)
}

func TestAlternateTakesTurns(t *testing.T) {
	t.Parallel()
	var order []string
	does := func(name string) func() error {
		return func() error { order = append(order, name); return nil }
	}
	a, b, err := bench.Alternate(2, does("a"), does("b"))
	require.NoError(t, err)
	require.Equal(t, "a b a b a b", strings.Join(order, " "), "the first turn warms up")
	require.Len(t, a, 2)
	require.Len(t, b, 2)

	fault := errors.New("a fault")
	_, _, err = bench.Alternate(2, does("a"), func() error { return fault })
	require.ErrorIs(t, err, fault)
}

func TestTimesShowTheMedianAndTheExtremes(t *testing.T) {
	t.Parallel()
	sorted := bench.Times{time.Millisecond, 2500 * time.Microsecond, time.Second}
	require.Equal(t, "   2.500 (1.000 to 1000.000)", sorted.String())
}

func TestStacksAreMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.Tabulate(t.Context(), t.TempDir(), &out, bench.Nowhere, bench.OnSQLite, bench.OnPostgres))
	require.Contains(t, out.String(), "a rival: left out, what it needs is not available here\n")
	for _, row := range []string{
		"processor ms a send", "sends a second", "first event, 50th percentile, ms", "first event, 99th percentile, ms",
		"KB written a send", "the same as the disk counts",
		"processor ms a word, paced", "KB written a word, paced", "a word, as the disk counts", "words a second, paced", "KB an open stream",
	} {
		require.Regexp(t, `(?m)^`+row+one, out.String())
	}
	require.Regexp(t, `(?m)^words lost of those seen, 1 kills +0 of \d+ `, out.String())
}

func TestReplicasAreMeasured(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, bench.FollowElsewhere(t.Context(), t.TempDir(), &out, bench.InProcess, 3, 2*time.Second))
	for _, mode := range []string{"with notifications", "without, by asking alone"} {
		require.Regexp(t, `(?m)^`+mode+`( +`+figure+`){3} +\d+$`, out.String())
	}
	require.NoError(t, bench.CountEvents(t.Context(), t.TempDir(), &out, bench.InProcess, 2, 1))
	require.Regexp(t, `(?m)^ +\d+ \(\d+ to \d+\)$`, out.String())
	require.NoError(t, bench.SendFromAfar(t.Context(), t.TempDir(), &out, bench.InProcess, 3, 6))
	require.Regexp(t, `(?m)^three replicas do [\d.]+ times the messages of one$`, out.String())
}
