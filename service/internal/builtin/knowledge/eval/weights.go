package main

import (
	"context"
	"crypto/sha256"
	_ "embed" // the weights
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/builtin/knowledge/answer"
)

// The files of the weights, from the root of the repository: those made from all articles,
// and those made without each one.
const (
	modelFile = "service/internal/builtin/knowledge/answer/model.json"
	foldsFile = "service/internal/builtin/knowledge/eval/folds.json"
)

//go:embed folds.json
var foldsJSON []byte

var folds = func() (byArticle map[string]answer.Model) {
	if err := json.Unmarshal(foldsJSON, &byArticle); err != nil {
		panic("eval: folds.json: " + err.Error())
	}
	return byArticle
}()

// writeWeights makes all weights of a folder and writes them. It has one thread, one order
// and no randomness, so that the same data give the same bytes.
func writeWeights(ctx context.Context, folder string, to io.Writer) error {
	data, err := Read(folder)
	if err != nil {
		return err
	}
	onSQLite, err := ScoreSQLite(ctx, data)
	if err != nil {
		return err
	}
	cases, byArticle := Cases(data, onSQLite.Hits), map[string]answer.Model{}
	for _, article := range articles(cases) {
		byArticle[article] = Fit(without(cases, article))
	}
	if err := writeJSON(to, foldsFile, byArticle); err != nil {
		return err
	}
	return writeJSON(to, modelFile, Fit(cases))
}

// writeJSON prints the SHA-256 of what it writes.
func writeJSON(to io.Writer, file string, value any) error {
	text, err := json.Marshal(value)
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	_, err = fmt.Fprintf(to, "%x  %s\n", sha256.Sum256(text), file)
	return err
}
