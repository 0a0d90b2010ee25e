// Package demo is what DEMO=1 adds to the service: pages, documents and tools to try it with.
package demo

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/config"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/importer"
)

// Pace makes the embedded agent's words appear one by one in the demo.
const Pace = 20 * time.Millisecond

// needed are what the demo serves; make demo builds the last three.
var needed = []string{
	"examples/01-script-tag/index.html", "examples/03-memory-console/index.html",
	"dist/chatsdk.js", "dist/chatsdk.mjs", "dist/chatsdk.wasm",
}

// Open returns the files of the demo, nil if it is off.
func Open(s *config.Settings) (files fs.FS, done func(), err error) {
	if !s.Demo {
		return nil, func() {}, nil
	}
	root, err := os.OpenRoot(".")
	if err != nil {
		return nil, nil, fmt.Errorf("DEMO: %w", err)
	}
	for _, name := range needed {
		if _, err := root.Stat(name); err != nil {
			_ = root.Close()
			return nil, nil, fmt.Errorf("DEMO: %s is missing in the working directory; run make demo in the project's folder", name)
		}
	}
	return root.FS(), func() { _ = root.Close() }, nil
}

// Greet prints where the pages of the demo are.
func Greet(files fs.FS, address string, stdout io.Writer) {
	docs := "The documentation is at %s/docs/."
	if !httpapi.HasDocs(files) {
		docs = "To read the documentation at %s/docs/, run make docs, which needs Node.js."
	}
	fmt.Fprintf(stdout, "\n  Open %s/ to chat,\n  and %s/examples/03-memory-console/ to review memories. Ctrl-C ends it.\n  "+docs+"\n\n",
		address, address, address)
}

// documents are the documents that the demo has from the beginning.
var documents = []string{"README.md", "docs/*.md", article}

// article is not from this project, and carries its credit.
const (
	article = "service/internal/knowledge/testdata/documents/packet-switching.md"
	credit  = "\n\n## Credit\n\nThis article is from the development set of SQuAD 2.0 (Rajpurkar, Jia and Liang: Know What You Don't Know, " +
		"ACL 2018), licensed under CC BY-SA 4.0, https://creativecommons.org/licenses/by-sa/4.0/legalcode.\n"
)

// Documents returns those of the documents that exist.
func Documents(files fs.FS) (all []importer.File, err error) {
	for _, pattern := range documents {
		names, err := fs.Glob(files, pattern)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			all = append(all, importer.File{Path: name, Read: func() ([]byte, error) {
				content, err := fs.ReadFile(files, name)
				if name == article {
					content = append(content, credit...)
				}
				return content, err
			}})
		}
	}
	return all, nil
}
