package eval_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

const folder = "../../../memory"

// The floors are what a one-day experiment reached. The detector must not fall below them
// on messages that its rules were not written with.
func TestDetectionStaysAboveItsFloors(t *testing.T) {
	t.Parallel()
	all, err := eval.Messages(folder)
	require.NoError(t, err)
	require.Len(t, all, 266)
	_, unseen, _ := eval.ScoreMessages(all)
	require.GreaterOrEqual(t, unseen.Precision(), 0.92)
	require.GreaterOrEqual(t, unseen.Recall(), 0.85)
	require.LessOrEqual(t, unseen.FalseAlarms(), 0.058)
	require.GreaterOrEqual(t, unseen.MainTypes(), 0.95)
}

func TestFiguresCountMessages(t *testing.T) {
	t.Parallel()
	var f eval.Figures
	preference := rules.Finding{Type: "preference", Confidence: 0.9}
	fact := rules.Finding{Type: "fact", Confidence: 0.6}
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, []rules.Finding{fact, preference})
	f.Add(eval.Message{Memorable: true, Types: []string{"preference"}}, []rules.Finding{fact, preference})
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, []rules.Finding{fact})
	f.Add(eval.Message{Memorable: true, Types: []string{"fact"}}, nil)
	f.Add(eval.Message{}, []rules.Finding{fact})
	f.Add(eval.Message{}, nil)
	require.Equal(t, 0.75, f.Precision())
	require.Equal(t, 0.75, f.Recall())
	require.Equal(t, 0.5, f.FalseAlarms())
	require.InDelta(t, 2.0/3, f.MainTypes(), 1e-9, "the most confident finding counts")
	require.Equal(t, 0.6, f.Types())
}

func TestScoresCountPairs(t *testing.T) {
	t.Parallel()
	_, _, whole := eval.ScorePairs([]eval.Pair{{Want: true, Got: true}, {}, {Want: true}, {Got: true}, {Got: true}})
	require.Equal(t, eval.Score{Pairs: 5, Missed: 1, WronglyYes: 2}, whole)
	require.Equal(t, 0.4, whole.Accuracy())
}

func TestCasesAreComparedExactly(t *testing.T) {
	t.Parallel()
	require.True(t, eval.Case{Want: []eval.Statement{}, Got: eval.Statements("What time is it?")}.Right())
	found := eval.Statements("😀 I live in Oslo.")
	require.True(t, eval.Case{Want: []eval.Statement{{"fact", "User lives in Oslo", "I live in Oslo"}}, Got: found}.Right())
	require.False(t, eval.Case{Want: []eval.Statement{{"fact", "User lives in Oslo", "live in Oslo"}}, Got: found}.Right())
}

func TestPrintHasEverySet(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	require.NoError(t, eval.Print(&out, folder))
	t.Log("\n" + out.String())
	for _, line := range []string{
		`half that was not +133 `, `all +266 `, `messages +162 `, `secrets +70 `, `secrets in seven languages +263 `, `pasted, role play +56 `,
		`secrets, German and French +100 `, `somebody else's, odd half +100 +89 +0$`, `the user's own, all +200 +\d+ +18\d$`, `public, with a memory, all +128 `,
		`duplicates, all +60 `, `our own duplicates, all +64 `, `our own close pairs, all +300 `,
		`even half +79 +0 `, `odd half +71 +0 `, `random pairs +200 `, `our own conflicts, all +100 `, `oasst1 +\d+ `, `all of them +\d+ `,
	} {
		require.Regexp(t, `(?m)^`+line, out.String())
	}
	require.ErrorContains(t, eval.Print(&out, t.TempDir()), "dev.jsonl")
}

// Three in ten messages judge what was learnt from the others.
func TestTrainingHoldsMessagesOut(t *testing.T) {
	t.Parallel()
	all, err := eval.Training(folder)
	require.NoError(t, err)
	require.Len(t, all, 1612)
	held, memorable := 0, 0
	for _, m := range all {
		if m.Memorable {
			memorable++
		}
		if eval.HeldOut(m.ID) {
			held++
		}
	}
	require.Equal(t, 469, memorable)
	require.InDelta(t, 0.3, float64(held)/float64(len(all)), 0.03)
	figures := eval.ScoreTraining(all, false)
	require.Len(t, figures, 5, "four sources, and all of them")
	require.Equal(t, len(all)-held, figures[""].Memorable+figures[""].Empty)
}

// docs/memory.md repeats what Print prints.
func TestTheGuideHasTheFigures(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../../../../docs/memory.md")
	require.NoError(t, err)
	guide := strings.Join(strings.Fields(string(text)), " ")
	for _, figure := range slices.Concat(detectionFigures(t), exactFigures(t), voiceFigures(t), pairFigures(t)) {
		require.Contains(t, guide, figure)
	}
}

func detectionFigures(t *testing.T) []string {
	all, err := eval.Messages(folder)
	require.NoError(t, err)
	row := func(name string, f eval.Figures) string {
		return fmt.Sprintf("| %s | %.3f | %.3f | %d of %d | %.3f | %.3f |", name, f.Precision(), f.Recall(), f.False, f.Empty, f.MainTypes(), f.Types())
	}
	seen, unseen, _ := eval.ScoreMessages(all)
	more, err := eval.Training(folder)
	require.NoError(t, err)
	held := eval.ScoreTraining(more, true)[""]
	told := fmt.Sprintf("Precision is %.3f there and recall %.3f, with %d false alarms of %d and the right main type in %.3f.",
		held.Precision(), held.Recall(), held.False, held.Empty, held.MainTypes())
	return []string{row("learnt from", seen), row("not learnt from", unseen), told}
}

func exactFigures(t *testing.T) (figures []string) {
	for name, set := range map[string]func(string) ([]eval.Case, error){
		"messages": eval.OwnMessages, "texts with and without secrets": eval.Secrets,
		"sentences about secrets": eval.Phrases, "more in German and French": eval.Spoken,
		"pasted or role-play texts": eval.Pasted,
	} {
		all, err := set(folder)
		require.NoError(t, err)
		wrong := slices.DeleteFunc(slices.Clone(all), eval.Case.Right)
		figures = append(figures, fmt.Sprintf("%d of %d %s", len(all)-len(wrong), len(all), name))
	}
	return figures
}

func voiceFigures(t *testing.T) []string {
	score := func(read func(string) ([]eval.Voice, error)) eval.Approvals {
		all, err := read(folder)
		require.NoError(t, err)
		_, _, whole := eval.ScoreVoices(all)
		return whole
	}
	foreign, plain, public := score(eval.Foreign), score(eval.Plain), score(eval.Public)
	return []string{
		fmt.Sprintf("of %d messages that contain somebody else's words, an instruction or an address, %d", foreign.Messages, foreign.Approved),
		fmt.Sprintf("%d of %d plain ones", plain.Whole, plain.Messages),
		fmt.Sprintf("%d of the 172 do now", score(eval.Later).Approved),
		fmt.Sprintf("of the %d public messages in which a memory is found, %d are approved", public.Found, public.Whole),
	}
}

func pairFigures(t *testing.T) (figures []string) {
	for name, set := range map[string]func(string) ([]eval.Pair, error){
		"public pairs": eval.Duplicates, "duplicates": eval.OwnDuplicates, "pairs, some in conflict": eval.Conflicts, "close pairs": eval.ClosePairs,
	} {
		all, err := set(folder)
		require.NoError(t, err)
		right := func(s eval.Score) string { return fmt.Sprintf("%d of %d", s.Pairs-s.Missed-s.WronglyYes, s.Pairs) }
		seen, unseen, whole := eval.ScorePairs(all)
		figures = append(figures, right(whole)+" "+name)
		if whole.Missed+whole.WronglyYes > 0 {
			figures = append(figures, right(seen), right(unseen))
		}
	}
	return figures
}
