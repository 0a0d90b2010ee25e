package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

const documentBytes = 20_000

// documents prints the cost of importing and searching documents, beside bare FTS5 with the same
// passages and questions.
func documents(ctx context.Context, folder string, to io.Writer) error {
	reader := &read.Reader{}
	defer reader.Close()
	return importDocuments(ctx, folder, to, reader, 1000, 31)
}

func importDocuments(ctx context.Context, folder string, to io.Writer, reader knowledge.Reader, count, runs int) (err error) {
	store, err := sqlite.Open(ctx, filepath.Join(folder, "bench.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	service := knowledge.New(knowledge.Config{Store: store, Reader: reader})
	bare, err := openBare(ctx, filepath.Join(folder, "bare.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, bare.Close()) }()

	texts := invented(count)
	ofService, err := took(func() error { return upload(ctx, service, texts) })
	if err != nil {
		return err
	}
	ofBare, err := insertBare(ctx, bare, texts)
	if err != nil {
		return err
	}
	ms := func(d time.Duration) string { return fmt.Sprintf("%.0f", float64(d)/float64(time.Millisecond)) }
	_, err = fmt.Fprintf(to, "\n%d documents of %d KB: milliseconds; of the search the median (shortest to longest) of %d alternating runs\n\n%-24s %-32s %-32s %s\n%-24s %-32s %-32s %5.2f\n",
		count, documentBytes/1000, runs, "", "service", "bare FTS5", "ratio", "import", ms(ofService), ms(ofBare), float64(ofService)/float64(ofBare))
	if err != nil {
		return err
	}
	return searchBoth(ctx, to, service, bare, runs)
}

// searchBoth asks a question of three words of all documents. A passage with one of the words is
// relevant enough to be a hit.
func searchBoth(ctx context.Context, to io.Writer, service *knowledge.Service, bare *sql.DB, runs int) error {
	asked := []string{word(11), word(201), word(702)}
	ofService, ofBare, err := alternate(runs, func() error {
		keys, err := service.Usable(ctx, "project", "ann", nil)
		if err != nil {
			return err
		}
		hits, err := service.Search(ctx, strings.Join(asked, " "), keys, 10)
		return enough(len(hits), err)
	}, func() error {
		rows, err := bare.QueryContext(ctx, `SELECT text, bm25(bare) AS score FROM bare WHERE bare MATCH ? ORDER BY score LIMIT 10`, strings.Join(asked, " OR "))
		if err != nil {
			return err
		}
		defer rows.Close()
		count := 0
		for ; rows.Next(); count++ {
			var text string
			var score float64
			if err := rows.Scan(&text, &score); err != nil {
				return err
			}
		}
		return enough(count, rows.Err())
	})
	if err != nil {
		return fmt.Errorf("search: %w", err)
	}
	_, err = fmt.Fprintf(to, "%-24s %-32v %-32v %5.2f\n", "search", ofService, ofBare, float64(ofService.median())/float64(ofBare.median()))
	return err
}

func enough(hits int, err error) error {
	if err == nil && hits == 0 {
		err = errors.New("nothing was found")
	}
	return err
}

func took(do func() error) (time.Duration, error) {
	start := time.Now()
	err := do()
	return time.Since(start), err
}

// upload puts the texts in and waits until they are read.
func upload(ctx context.Context, service *knowledge.Service, texts []string) error {
	caller := access.Caller{Scope: access.Scope{ProjectID: "project"}}
	for i, text := range texts {
		_, _, err := service.Upload(ctx, caller, knowledge.Upload{Name: fmt.Sprintf("%d.md", i), File: []byte(text)})
		if err != nil {
			return err
		}
	}
	return service.ReadDue(ctx)
}

func openBare(ctx context.Context, path string) (*sql.DB, error) {
	bare, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		return nil, err
	}
	bare.SetMaxOpenConns(1)
	_, err = bare.ExecContext(ctx, `CREATE VIRTUAL TABLE bare USING fts5 (text, tokenize = 'porter unicode61 remove_diacritics 2')`)
	return bare, err
}

// insertBare inserts the same passages, one transaction for each document. The time for cutting
// them is not measured.
func insertBare(ctx context.Context, bare *sql.DB, texts []string) (all time.Duration, err error) {
	for i, text := range texts {
		d, err := read.Bytes(fmt.Sprintf("%d.md", i), []byte(text))
		if err != nil {
			return 0, err
		}
		passages := split.Passages(d)
		one, err := took(func() error { return insertPassages(ctx, bare, passages) })
		if err != nil {
			return 0, err
		}
		all += one
	}
	return all, nil
}

func insertPassages(ctx context.Context, bare *sql.DB, passages []split.Passage) error {
	tx, err := bare.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	for _, p := range passages {
		if _, err := tx.ExecContext(ctx, `INSERT INTO bare (text) VALUES (?)`, p.Text); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// invented are texts under headings, the same each time. Their words are as unevenly common as
// those of a language.
func invented(count int) (texts []string) {
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 8, 20_000)
	for range count {
		var text strings.Builder
		for section := 0; text.Len() < documentBytes; section++ {
			fmt.Fprintf(&text, "\n## %s %s\n\n", word(zipf.Uint64()), word(zipf.Uint64()))
			for range 12 {
				for range 14 {
					text.WriteString(word(zipf.Uint64()) + " ")
				}
				text.WriteString("end.\n")
			}
		}
		texts = append(texts, text.String())
	}
	return texts
}

// word writes a number in syllables.
func word(n uint64) (text string) {
	const syllables = "ba ce di fo gu ha ke li mo nu pa re si to vu"
	all := strings.Fields(syllables)
	for n++; n > 0; n /= uint64(len(all)) {
		text += all[n%uint64(len(all))]
	}
	return text
}
