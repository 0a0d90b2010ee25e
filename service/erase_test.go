package main_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// held returns which of the words are in a file of the data folder.
func held(t *testing.T, folder string, words ...string) (all []string) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "data", "*"))
	require.NoError(t, err)
	for _, name := range slices.Backward(names) { // the log before the database, which gets its pages
		content, err := os.ReadFile(name)
		if os.IsNotExist(err) {
			continue
		}
		require.NoError(t, err)
		for _, word := range words {
			if bytes.Contains(bytes.ToLower(content), []byte(word)) {
				all = append(all, word+" in "+filepath.Base(name))
			}
		}
	}
	return all
}

// deletions store something with a word, and return what deletes it.
var deletions = map[string]func(p *process, word string) (remove func()){
	"a chat": func(p *process, word string) func() {
		chatID := p.ask("What is a " + word + "?").ChatID
		return func() { p.ok(http.MethodDelete, "/chat/delete", `{"project_id":"demo","chat_id":"`+chatID+`"}`) }
	},
	"a name": func(p *process, word string) func() {
		chatID := p.ask("Hi").ChatID
		p.ok(http.MethodPost, "/chat/update/name", `{"project_id":"demo","chat_id":"`+chatID+`","title":"`+word+`"}`)
		return func() {
			p.ok(http.MethodPost, "/chat/update/name", `{"project_id":"demo","chat_id":"`+chatID+`","title":"another"}`)
		}
	},
	"a document": func(p *process, word string) func() {
		key := decode[wire.UploadDocumentResponse](p.t, p.upload("a.md", []byte("The "+word+" is blue.")), http.StatusOK).DocumentKey
		p.documents()
		return func() {
			p.ok(http.MethodDelete, "/project/knowledge/delete", `{"project_id":"demo","resources":[{"key":"`+key+`"}]}`)
		}
	},
	"a memory": func(p *process, word string) func() {
		made := p.remember("ann", word)
		return func() { p.ok(http.MethodDelete, "/memories/"+made.ID, "") }
	},
	"a user's memories": func(p *process, word string) func() {
		p.remember("bob", word)
		return func() { p.ok(http.MethodDelete, "/agents/assistant/memories/user/bob", "") }
	},
}

func (p *process) ok(method, path, body string) {
	p.t.Helper()
	r := p.do(method, path, asProject("application/json"), body)
	require.Equal(p.t, http.StatusOK, r.status, r.body)
}

func (p *process) remember(user, word string) wire.Memory {
	p.t.Helper()
	r := p.do(http.MethodPost, "/agents/assistant/memories/user/"+user, asProject("application/json"), `{"memory_content":"User likes `+word+`","memory_type":"fact"}`)
	return decode[wire.Memory](p.t, r, http.StatusOK)
}

// Deleted text is soon in no file, whatever it was, and never after a clean stop.
func TestDeletedTextLeavesTheFolder(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	n := 0
	mark := func() string { n++; return fmt.Sprint("zebra", n) }
	for name, store := range deletions {
		word := mark()
		remove := store(p, word)
		require.NotEmpty(t, held(t, folder, word), name)
		remove()
		require.Eventually(t, func() bool { return len(held(t, folder, word)) == 0 }, 10*time.Second, 10*time.Millisecond, name)
	}
	var words []string
	var removals []func()
	for _, store := range deletions {
		words = append(words, mark())
		removals = append(removals, store(p, words[len(words)-1]))
	}
	for _, remove := range removals {
		remove()
	}
	p.stop()
	require.Empty(t, held(t, folder, words...))
}

// longText is text of which every part has the word.
func longText(word string, size int) []byte {
	var text bytes.Buffer
	for n := 0; text.Len() < size; n++ {
		fmt.Fprintf(&text, "The %s%d of word%d and thing%d went there. ", word, n/200, n*7919%20011, n*104729%9973)
		if n%20 == 19 {
			text.WriteString("\n\n")
		}
	}
	return text.Bytes()
}

// The answer to the deletion of a long document waits until its text is in no file, while others write and read.
func TestMuchDeletedTextIsGoneWithTheAnswer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, env{"SENDS_PER_MINUTE": "0", "READS_PER_MINUTE": "0"})
	key := decode[wire.UploadDocumentResponse](t, p.upload("long.md", longText("zebra", 10<<20)), http.StatusOK).DocumentKey
	p.documents()
	require.NotEmpty(t, held(t, folder, "zebra"))
	chatID := p.ask("Hi").ChatID
	ctx, end := context.WithCancel(t.Context())
	var others sync.WaitGroup
	defer others.Wait()
	defer end()
	for _, act := range []func(){func() { p.ask("What is a story?") }, func() { p.history(chatID) }} {
		others.Go(func() {
			for ctx.Err() == nil {
				act()
			}
		})
	}
	begun := time.Now()
	p.ok(http.MethodDelete, "/project/knowledge/delete", `{"project_id":"demo","resources":[{"key":"`+key+`"}]}`)
	took := time.Since(begun)
	t.Log("answered after", took)
	if took < 10*time.Second { // the longest that the answer waits
		require.Empty(t, held(t, folder, "zebra"))
	}
	require.Eventually(t, func() bool { return len(held(t, folder, "zebra")) == 0 }, time.Minute, 100*time.Millisecond)
}
