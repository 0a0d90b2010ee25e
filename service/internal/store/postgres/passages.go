package postgres

import (
	"context"
	"encoding/json"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/store"
)

// passages implements search.Index with the table passage_terms. The id of a passage is made for
// one search, from the place of its document among the keys and its number in the document.
type passages struct {
	tx     store.Session
	keys   []string
	places []int64 // the position of each key's document
	pages  []int64 // how many pages of terms it has
}

const numberBits = 32

const (
	runsOfDocuments = `
		SELECT place, position, passages, passages_length, term_pages
		FROM (SELECT key, min(place) - 1 AS place FROM unnest($1::text[]) WITH ORDINALITY AS named (key, place) GROUP BY key) AS named
		JOIN documents USING (key) WHERE passages > 0 ORDER BY place`
	pagesOfTerms = `
		SELECT document, terms FROM unnest($1::bigint[], $2::bigint[]) AS wanted (document, page) JOIN passage_terms USING (document, page)`
	passagesByID = `
		SELECT p.number, p.title, p.headings, p.start_at, p.end_at, p.text
		FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS wanted (key, number, place)
		JOIN passages AS p ON p.document_key = wanted.key AND p.number = wanted.number ORDER BY place`
)

// Runs implements search.Index.
func (p *passages) Runs(ctx context.Context, keys []string) ([]search.Run, error) {
	p.keys, p.places, p.pages = keys, make([]int64, len(keys)), make([]int64, len(keys))
	return store.Collect(ctx, p.tx, func(row store.Row) (r search.Run, err error) {
		var position, count, pages int64
		err = row.Scan(&r.Document, &position, &count, &r.Length, &pages)
		p.places[r.Document], p.pages[r.Document] = position, pages
		r.First = int64(r.Document) << numberBits
		r.Last = r.First + count - 1
		return r, err
	}, runsOfDocuments, keys)
}

// Holding implements search.Index.
func (p *passages) Holding(ctx context.Context, term search.Term, ground search.Ground, found func(id int64) bool) error {
	stem := stored(term.Stem)
	documents, pages := make([]int64, len(ground.Runs)), make([]int64, len(ground.Runs))
	for i, run := range ground.Runs {
		documents[i], pages[i] = p.places[run.Document], pageOf(stem, p.pages[run.Document])
	}
	numbers := map[int64][]byte{} // by document
	err := p.tx.Each(ctx, func(row store.Row) (bool, error) {
		var document int64
		var terms []byte
		err := row.Scan(&document, &terms)
		if held := numbersOf(terms, stem); held != nil {
			numbers[document] = held
		}
		return true, err
	}, pagesOfTerms, documents, pages)
	if err != nil {
		return err
	}
	for i, run := range ground.Runs {
		for number := range distances(numbers[documents[i]]) {
			if !found(run.First + number) {
				return nil
			}
		}
	}
	return nil
}

// Passages implements search.Index.
func (p *passages) Passages(ctx context.Context, ids []int64) ([]search.Hit, error) {
	keys, numbers := make([]string, len(ids)), make([]int64, len(ids))
	for i, id := range ids {
		keys[i], numbers[i] = p.keys[id>>numberBits], id&(1<<numberBits-1)
	}
	return store.Collect(ctx, p.tx, func(row store.Row) (h search.Hit, err error) {
		var headings string
		if err := row.Scan(&h.Index, &h.Title, &headings, &h.Start, &h.End, &h.Text); err != nil {
			return h, err
		}
		return h, json.Unmarshal([]byte(headings), &h.Headings)
	}, passagesByID, keys, numbers)
}
