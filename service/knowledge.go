package main

import (
	"context"
	"io"
	"io/fs"
	"log/slog"
	"math"

	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/importer"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// readers is how many documents are read at once, each in a child process.
const readers = 2

// newKnowledge are the documents, kept in the data folder. The caller calls
// done when nothing is read any more.
func newKnowledge(s *settings, agents []chat.Agent, data *data, log *slog.Logger) (documents *knowledge.Service, done func()) {
	bytes := s.requests.DocumentBytes
	reader := &read.Reader{Bytes: int(bytes)}
	if bytes == 0 {
		reader.Bytes = math.MaxInt
	}
	config := knowledge.Config{Store: data.store, Reader: reader, Bytes: bytes, Workers: readers, Log: log}
	for _, agent := range agents {
		config.Agents = append(config.Agents, knowledge.Agent{ID: agent.ID, Documents: agent.Documents})
	}
	return knowledge.New(config), reader.Close
}

// demoDocuments are what the demo knows from the beginning.
var demoDocuments = []string{"README.md", "docs/*.md", demoArticle}

// demoArticle is not of this project, and carries its credit.
const (
	demoArticle = "service/internal/knowledge/testdata/documents/packet-switching.md"
	demoCredit  = "\n\n## Credit\n\nThis article is from the development set of SQuAD 2.0 (Rajpurkar, Jia and Liang: Know What You Don't Know, ACL 2018), " +
		"licensed under CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/legalcode.\n"
)

// readDemoDocuments gives those of them that there are.
func readDemoDocuments(files fs.FS) (all []importer.File, err error) {
	for _, pattern := range demoDocuments {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, importer.File{Path: name, Read: func() ([]byte, error) {
				content, err := fs.ReadFile(files, name)
				if name == demoArticle {
					content = append(content, demoCredit...)
				}
				return content, err
			}})
		}
	}
	return all, nil
}

// importDemo puts the demo's documents into the service that listens at base.
func importDemo(ctx context.Context, s *settings, files fs.FS, base string, log *slog.Logger) {
	documents, err := readDemoDocuments(files)
	if err == nil {
		_, err = importInto(ctx, s, base, documents, io.Discard)
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("the documents of the demo are not all there", "error", err)
	}
}
