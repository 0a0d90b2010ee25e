package main

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"iter"
	"net/http"
	"strings"
	"time"
)

// ofProvider is the child process that is the model of all stacks: an OpenAI-compatible endpoint.
// The words of its answers have similar lengths.
const ofProvider = "provider"

// The beginning of a request's last message says how the model answers.
const (
	askAtOnce  = "At once, please." // answerWords, each written separately, without a pause
	askMany    = "Many, please."    // manyWords, likewise
	askPaced   = "Word by word."    // one word each pace, until the end
	askQuick   = "Quickly, please." // answerWords, one every quickPause
	askAndHold = "One word and wait."
)

const (
	answerWords = 20
	manyWords   = 2000
	quickPause  = 20 * time.Millisecond
	// mark begins each word of an answer.
	mark = "word-"
)

// script is the model. It reads only the fields of a request that it needs.
type script struct{ paced *paced }

func (s script) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	w.Header().Set("Content-Type", eventStream)
	asked := body[max(0, bytes.LastIndex(body, []byte(`"user"`))):]
	words, wait := atOnce(answerWords), time.Duration(0)
	for begins, answer := range map[string]iter.Seq[struct{}]{
		askMany:  atOnce(manyWords),
		askPaced: s.paced.words(r.Context(), pace), askAndHold: s.paced.words(r.Context(), 0), askQuick: s.paced.few(r.Context(), answerWords, quickPause),
	} {
		if bytes.Contains(asked, []byte(begins)) {
			words = answer
		}
	}
	if bytes.Contains(asked, []byte(askPaced)) {
		wait = phase(body)
	}
	speak(w, r, words, wait)
}

func atOnce(count int) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		for n := 0; n < count && yield(struct{}{}); n++ {
		}
	}
}

// few sends the first count words, one after each pause.
func (p *paced) few(ctx context.Context, count int, pause time.Duration) iter.Seq[struct{}] {
	return func(yield func(struct{}) bool) {
		n := 0
		for range p.words(ctx, pause) {
			if n++; !yield(struct{}{}) || n == count {
				return
			}
		}
	}
}

// phase spreads the first words of answers over a pace.
func phase(body []byte) time.Duration {
	hash := fnv.New32a()
	_, _ = hash.Write(body)
	return time.Duration(hash.Sum32()) % pace
}

func chunkOf(text, finish string) string {
	const form = `{"id":"c","object":"chat.completion.chunk","created":1,"model":"bench",` +
		`"choices":[{"index":0,"delta":{"role":"assistant","content":%q},"finish_reason":%s}]}`
	return fmt.Sprintf(form, text, finish)
}

// speak writes words after a wait, and the end.
func speak(w http.ResponseWriter, r *http.Request, words iter.Seq[struct{}], wait time.Duration) {
	control := http.NewResponseController(w)
	select {
	case <-time.After(wait):
	case <-r.Context().Done():
		return
	}
	n := 0
	for range words {
		_, err := io.WriteString(w, "data: "+chunkOf(fmt.Sprintf("%s%04d ", mark, n%10_000), "null")+"\n\n")
		if err != nil || control.Flush() != nil {
			return
		}
		n++
	}
	_, _ = io.WriteString(w, "data: "+chunkOf("", `"stop"`)+"\n\ndata: [DONE]\n\n")
}

const eventStream = "text/event-stream"

// wordsIn counts the words in events, each after the text that is before it in an event of its
// stack.
func wordsIn(events, before string) int { return strings.Count(events, before+mark) }
