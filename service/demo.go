package main

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/importer"
)

// demoPace makes the embedded agent's words appear one by one in the demo.
const demoPace = 20 * time.Millisecond

// demoFiles are what the demo serves; make demo builds the last three.
var demoFiles = []string{
	"examples/01-script-tag/index.html", "examples/03-memory-console/index.html",
	"dist/chatsdk.js", "dist/chatsdk.mjs", "dist/chatsdk.wasm",
}

// openDemo returns the files of the demo, nil if it is off.
func openDemo(s *settings) (files fs.FS, done func(), err error) {
	if !s.demo {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return nil, nil, fmt.Errorf("DEMO: %w", err)
	}
	for _, name := range demoFiles {
		if _, err := root.Stat(name); err != nil {
			_ = root.Close()
			return nil, nil, fmt.Errorf("DEMO: %s is missing in the working directory; run make demo in the project's folder", name)
		}
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

func newHandler(demo fs.FS, config httpapi.Config) http.Handler {
	if demo == nil {
		return httpapi.New(config)
	}
	return httpapi.Demo(config, demo)
}

// greetDemo prints where the pages of the demo are.
func greetDemo(files fs.FS, address string, stdout io.Writer) {
	docs := "The documentation is at %s/docs/."
	if !httpapi.HasDocs(files) {
		docs = "To read the documentation at %s/docs/, run make docs, which needs Node.js."
	}
	fmt.Fprintf(stdout, "\n  Open %s/ to chat,\n  and %s/examples/03-memory-console/ to review memories. Ctrl-C ends it.\n  "+docs+"\n\n",
		address, address, address)
}

// demoDocuments are the documents that the demo has from the beginning.
var demoDocuments = []string{"README.md", "docs/*.md", demoArticle}

// demoArticle is not from this project, and carries its credit.
const (
	demoArticle = "service/internal/knowledge/testdata/documents/packet-switching.md"
	demoCredit  = "\n\n## Credit\n\nThis article is from the development set of SQuAD 2.0 (Rajpurkar, Jia and Liang: Know What You Don't Know, " +
		"ACL 2018), licensed under CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/legalcode.\n"
)

// readDemoDocuments returns those of the documents that exist.
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

// importDemo uploads the demo's documents to the service that listens at base. Replicas import
// one after the other, so that the second one finds what the first one has stored.
func importDemo(ctx context.Context, s *settings, data *data, files fs.FS, base string, log *slog.Logger) {
	documents, err := readDemoDocuments(files)
	if err == nil {
		err = data.alone(ctx, "the documents of the demo", func(ctx context.Context) error {
			_, err := importInto(ctx, s, base, documents, io.Discard)
			return err
		})
	}
	if err != nil && ctx.Err() == nil {
		log.Warn("some documents of the demo could not be imported", "error", err)
	}
}
