package search_test

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/librarytest"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

const articles = "../testdata/documents/"

// chosenOn are the articles with whose questions the threshold was chosen.
var chosenOn = []string{"force.md", "packet-switching.md", "warsaw.md"}

// Messages that no document answers: those with which the words of talk and the threshold were
// chosen, and those that were written afterwards.
var offTopic = [2]string{`
Hello|Hi there!|Good morning|Thanks, that helps|Thank you very much|Great, thanks a lot!|How are you?|Who are you?|What can you do?|Write a poem
Write me a poem about the sea|Tell me a joke please|Translate this into French: I like cats|What is the weather today?|Can you help me?|ok|Yes please
No, that's wrong|Never mind|Please be brief|Summarize our conversation|What did I say before?|I prefer bullet points
Hello! I prefer bullet points, I work as a nurse.|Remember that my name is Ann|Give me a recipe for pancakes|What is 17 times 23?
Fix the bug in my code|Sing a song|I am tired today|See you tomorrow|Make it shorter|Can you say that again in simple words?|What do you think?
Recommend a film for tonight|How do I boil an egg?|My cat is sick|Write an email to my boss about my holiday|That was a good answer
Let us talk about something else`, `
Hey, how is it going?|Cheers!|Perfect, thank you so much|Good evening to you|Are you a robot?|What is your name?|Could you rephrase that?|I don't understand
Not what I meant|Why?|Really?|Please answer in German|Use a table next time|Draft a cover letter for a plumber|Write a haiku about autumn leaves
Which phone should I buy?|Plan a birthday party for my daughter|My sister moved to Lisbon last week|I would like shorter replies
What's the best pizza topping?|Book a table for two|Play some jazz|Proofread this paragraph|How many calories does a banana have?|Good night
Correct my spelling|Who won the football match yesterday?|Set an alarm for seven|I'm learning the guitar|Goodbye`}

type question struct {
	Question, Document string
	Answerable         bool
	Answers            []string
}

func questions(t *testing.T) (all []question) {
	t.Helper()
	file, err := os.Open("../testdata/dev.jsonl")
	require.NoError(t, err)
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var one question
		require.NoError(t, json.Unmarshal(lines.Bytes(), &one))
		all = append(all, one)
	}
	return all
}

// library returns a search of the articles.
func library(t *testing.T) func(question string) []search.Hit {
	t.Helper()
	docs := librarytest.New(t)
	files, err := os.ReadDir(articles)
	require.NoError(t, err)
	for _, file := range files {
		source, err := os.ReadFile(filepath.Join(articles, file.Name()))
		require.NoError(t, err)
		docs.Add(t, file.Name(), source)
	}
	return func(question string) []search.Hit {
		hits, err := docs.Search(t.Context(), question, docs.Keys, 10)
		require.NoError(t, err)
		return hits
	}
}

// holds reports whether one of the passages is from the question's article and has an answer.
func (q question) holds(hits []search.Hit) bool {
	return slices.ContainsFunc(hits, func(h search.Hit) bool {
		return h.Key == q.Document && slices.ContainsFunc(q.Answers, func(answer string) bool { return strings.Contains(h.Text, answer) })
	})
}

// Few questions lose the passage with their answer, and most messages that ask nothing about the
// documents get no passages. An unanswerable question has words of the article, and keeps its
// passages.
func TestIrrelevantPassagesAreLeftOut(t *testing.T) {
	t.Parallel()
	find := library(t)
	type share struct{ of, all int }
	var answered, unanswerable, passages, off [2]share // of the articles chosen on, and of the others
	for _, q := range questions(t) {
		part := 1
		if slices.Contains(chosenOn, q.Document) {
			part = 0
		}
		hits := find(q.Question)
		if !q.Answerable {
			unanswerable[part].all++
			if len(hits) == 0 {
				unanswerable[part].of++
			}
			continue
		}
		passages[part] = share{passages[part].of + len(hits), passages[part].all + 1}
		answered[part].all++
		if q.holds(hits) {
			answered[part].of++
		}
	}
	for part, messages := range offTopic {
		for _, message := range strings.FieldsFunc(messages, func(r rune) bool { return r == '|' || r == '\n' }) {
			off[part].all++
			if len(find(message)) == 0 {
				off[part].of++
			}
		}
	}
	require.GreaterOrEqual(t, answered[0].of, 95)
	require.GreaterOrEqual(t, answered[1].of, 102)
	require.GreaterOrEqual(t, off[0].of, 27)
	require.GreaterOrEqual(t, off[1].of, 14)
	t.Logf("with their answer's passage: %v, unanswerable without passages: %v, off topic without passages: %v, passages of answerable questions: %v",
		answered, unanswerable, off, passages)
}
