package canon_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

func TestForm(t *testing.T) {
	t.Parallel()
	tables := []struct {
		name, statement string
		want            canon.Form
	}{
		{"a home", "User lives in a small flat in Oslo",
			canon.Form{Relation: "home", Values: []string{"apartment"}, Beside: []string{"little", "oslo"}, Person: "user"}},
		{"a job of another person", "My mum works as a nurse", canon.Form{Relation: "job", Values: []string{"nurs"}, Person: "mother"}},
		{"a number", "I have three daughters", canon.Form{Relation: "have", Values: []string{"daughter"}, Numbers: []string{"3"}, Person: "user"}},
		{"numbers of two words", "I am thirty four years old", canon.Form{Relation: "age", Numbers: []string{"34"}, Person: "user"}},
		{"a negation", "I don't like olives", canon.Form{Relation: "taste", Values: []string{"oliv"}, Negative: true, Person: "user"}},
		{"two negations", "I don't hate olives", canon.Form{Relation: "taste", Values: []string{"oliv"}, Person: "user"}},
		{"the past", "User used to live in Rome", canon.Form{Relation: "home", Values: []string{"rome"}, Person: "user", Time: "past"}},
		{"a plan", "We are moving to Rome", canon.Form{Relation: "home", Values: []string{"rome"}, Person: "user", Time: "future"}},
		{"a favourite", "Sushi is my favourite food", canon.Form{Relation: "favorite", Slot: "food", Values: []string{"sushi"}, Person: "user"}},
		{"an activity", "I love playing chess", canon.Form{Relation: "taste", Slot: "play", Values: []string{"chess"}, Person: "user"}},
		{"a comparison", "I prefer tea to coffee", canon.Form{Relation: "taste", Values: []string{"tea"}, Over: []string{"coffe"}, Person: "user"}},
		{"a name, not stemmed", "please call me Charles", canon.Form{Relation: "name", Values: []string{"charles"}, Person: "user"}},
		{"a name after a contrast", "my name isn't John, it's Mike", canon.Form{Relation: "name", Values: []string{"mike"}, Person: "user"}},
		{"the assistant's name", "your name is Max", canon.Form{Relation: "name", Values: []string{"max"}, Person: "assistant"}},
		{"the language of answers", "switch from English to French", canon.Form{Relation: "answer.language", Values: []string{"french"}, Person: "user"}},
		{"a negation in a phrase", "I did not finish high school",
			canon.Form{Relation: "graduate", Values: []string{"high-school"}, Negative: true, Person: "user"}},
		{"an hour", "User gets up at 5 pm", canon.Form{Relation: "wake", Numbers: []string{"17"}, Person: "user"}},
		{"accents", "I like café", canon.Form{Relation: "taste", Values: []string{"cafe"}, Person: "user"}},
		{"nothing", " ... ", canon.Form{Person: "user"}},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, table.want.Key(), canon.Of(table.statement).Key())
		})
	}
}

// A wrong decision on these pairs would store a memory twice, or replace a good one.
func TestPairs(t *testing.T) {
	t.Parallel()
	const same, against, neither = "same", "against", "neither"
	tables := []struct{ name, a, b, want string }{
		{"moved away", "User lives in Paris", "I moved to Lyon", against},
		{"moved from there", "User lives in Madrid", "I moved from Madrid to Rome", against},
		{"came from there", "User lives in Madrid", "I moved here from Rome", neither},
		{"will move", "User lives in Paris", "I'm moving to Lyon next year", neither},
		{"lived there once", "User lives in Paris", "I lived in Lyon", neither},
		{"a place that may be inside another", "User lives in Idaho", "I live in Boise", neither},
		{"two pets", "User has a cat", "User has a dog", neither},
		{"no pets", "User has a dog", "I don't have any pets", against},
		{"two hobbies", "User likes chess", "User likes golf", neither},
		{"two languages spoken", "User speaks Polish", "User speaks Czech", neither},
		{"two first languages", "User's first language is Urdu", "My mother tongue is Hindi", against},
		{"a trade and its kind", "User is a doctor", "User is a surgeon", neither},
		{"a company and its kind", "User works at Siemens", "User works at a factory", neither},
		{"a job left", "User works at Siemens", "I quit my job at Siemens", against},
		{"two daughters", "User's daughter is 5", "My daughter is 6", neither},
		{"one wife", "User's wife is a nurse", "My wife is a teacher", against},
		{"two alarms", "User wakes up at 6 on weekdays", "User wakes up at 9 on weekends", neither},
		{"meat in other words", "User is vegetarian", "I love steak", against},
		{"no meat, in other words", "User is vegetarian", "I don't eat meat", same},
		{"not that language", "Speak French", "Stop speaking French", against},
		{"dark and light", "User prefers dark mode", "User prefers light mode", against},
		{"two wishes for answers", "User prefers short answers", "User prefers formal answers", neither},
		{"strength", "User likes jazz", "I absolutely love jazz", same},
		{"one in place of a", "I have one cat", "I have a cat", same},
		{"another word order", "stop calling me Al, call me Bo", "my name is Bo", same},
		{"a kind", "User likes music", "User likes country music", neither},
		{"what one drinks and likes", "I don't drink coffee", "I don't like coffee", neither},
	}
	for _, table := range tables {
		t.Run(table.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, table.want == same, canon.Duplicate(table.a, table.b), "duplicate: %s / %s", canon.Of(table.a).Key(), canon.Of(table.b).Key())
			require.Equal(t, table.want == against, canon.Conflict(table.a, table.b), "conflict: %s / %s", canon.Of(table.a).Key(), canon.Of(table.b).Key())
		})
	}
}

// The cost of an ordinary statement, and of one much longer than any memory: the time
// for each byte is the same.
func BenchmarkDuplicate(b *testing.B) {
	for _, table := range []struct {
		name string
		text string
	}{
		{"short", "User works at a hospital in Lyon"},
		{"long", strings.Repeat("User works at a hospital in Lyon, not in bed 7, call me speed english up ", 2000)},
		{"one word", strings.Repeat("running", 20000)},
	} {
		b.Run(table.name, func(b *testing.B) {
			b.SetBytes(int64(2 * len(table.text)))
			for b.Loop() {
				canon.Duplicate(table.text, table.text+" x")
				canon.Conflict(table.text, table.text+" x")
			}
		})
	}
}
