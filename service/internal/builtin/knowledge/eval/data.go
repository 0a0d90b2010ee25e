package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// Question is a question on an article. Answers are the wordings of readers, in
// the paragraph of that index; an unanswerable question has none.
type Question struct {
	ID         string   `json:"id"`
	Question   string   `json:"question"`
	Answerable bool     `json:"answerable"`
	Document   string   `json:"document"`
	Paragraph  int      `json:"paragraph"`
	Answers    []string `json:"answers"`
}

// Article is a document with its paragraphs.
type Article struct {
	read.Document
	Paragraphs []Paragraph
}

// Paragraph is a paragraph of an article, from Start to End in UTF-16 units of
// its text.
type Paragraph struct {
	Text       string
	Start, End int
}

// Set is the content of a folder. The keys of the articles are their files'
// names.
type Set struct {
	Articles  map[string]Article
	Questions []Question
}

// Read reads a folder.
func Read(folder string) (Set, error) {
	set := Set{Articles: map[string]Article{}}
	files, err := filepath.Glob(filepath.Join(folder, "documents", "*"))
	if err != nil || len(files) == 0 {
		return set, fmt.Errorf("%s/documents: no files, want articles", folder)
	}
	for _, file := range files {
		article, err := readArticle(file)
		if err != nil {
			return set, fmt.Errorf("%s: %w", file, err)
		}
		set.Articles[filepath.Base(file)] = article
	}
	lists, err := filepath.Glob(filepath.Join(folder, "*.jsonl"))
	if err != nil || len(lists) == 0 {
		return set, fmt.Errorf("%s: no *.jsonl, want questions", folder)
	}
	for _, list := range lists {
		if err := set.readQuestions(list); err != nil {
			return set, err
		}
	}
	return set, nil
}

// readArticle finds each paragraph of the source in the text that was read.
func readArticle(file string) (Article, error) {
	source, err := os.ReadFile(file)
	if err != nil {
		return Article{}, err
	}
	d, err := read.Bytes(file, source)
	if err != nil {
		return Article{}, err
	}
	a := Article{Document: d}
	from := 0
	for part := range strings.SplitSeq(strings.TrimSpace(string(source)), "\n\n") {
		p, err := read.Bytes(file, []byte(part))
		if err != nil || p.Blocks[0].Kind == read.Heading {
			continue
		}
		at := strings.Index(d.Text[from:], p.Text)
		if at < 0 {
			return a, fmt.Errorf("paragraph %d: not found in the text that was read", len(a.Paragraphs))
		}
		start := from + at
		from = start + len(p.Text)
		a.Paragraphs = append(a.Paragraphs, Paragraph{Text: p.Text, Start: split.Units(d.Text[:start]), End: split.Units(d.Text[:from])})
	}
	return a, nil
}

func (s *Set) readQuestions(list string) error {
	file, err := os.Open(list)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(bufio.NewReader(file))
	for n := 1; ; n++ {
		var q Question
		switch err := decoder.Decode(&q); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return fmt.Errorf("%s, value %d: %w", list, n, err)
		}
		if q.Paragraph < 0 || q.Paragraph >= len(s.Articles[q.Document].Paragraphs) {
			return fmt.Errorf("%s, value %d: document %q has no paragraph %d", list, n, q.Document, q.Paragraph)
		}
		s.Questions = append(s.Questions, q)
	}
}
