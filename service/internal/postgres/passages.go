package postgres

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/words"
)

// passages is the search.Index of the table passage_terms. The id of a passage is made for
// a search: the place of its document among the keys, and its number in it.
type passages struct {
	tx     session
	keys   []string
	places []int64 // the position of each key's document
}

const numberBits = 32

const (
	runsOfDocuments = `
		SELECT place, position, passages, passages_length
		FROM (SELECT key, min(place) - 1 AS place FROM unnest($1::text[]) WITH ORDINALITY AS named (key, place) GROUP BY key) AS named
		JOIN documents USING (key) WHERE passages > 0 ORDER BY place`
	passagesWith = `SELECT document, numbers FROM passage_terms WHERE document = ANY($1) AND term = $2`
	passagesByID = `
		SELECT p.number, p.title, p.headings, p.start_at, p.end_at, p.text
		FROM unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS wanted (key, number, place)
		JOIN passages AS p ON p.document_key = wanted.key AND p.number = wanted.number ORDER BY place`
)

// Runs implements search.Index.
func (p *passages) Runs(ctx context.Context, keys []string) ([]search.Run, error) {
	p.keys, p.places = keys, make([]int64, len(keys))
	return collect(ctx, p.tx, func(row scanner) (r search.Run, err error) {
		var position, count int64
		err = row.Scan(&r.Document, &position, &count, &r.Length)
		p.places[r.Document] = position
		r.First = int64(r.Document) << numberBits
		r.Last = r.First + count - 1
		return r, err
	}, runsOfDocuments, keys)
}

// Holding implements search.Index.
func (p *passages) Holding(ctx context.Context, term search.Term, ground search.Ground, found func(id int64) bool) error {
	numbers := map[int64][]byte{} // by position
	places := make([]int64, len(ground.Runs))
	for i, run := range ground.Runs {
		places[i] = p.places[run.Document]
	}
	err := p.tx.each(ctx, func(row scanner) (bool, error) {
		var document int64
		var held []byte
		err := row.Scan(&document, &held)
		numbers[document] = held
		return true, err
	}, passagesWith, places, stored(term.Stem))
	if err != nil {
		return err
	}
	for i, run := range ground.Runs {
		number := run.First - 1
		for left := numbers[places[i]]; len(left) > 0; {
			distance, size := binary.Uvarint(left)
			if size <= 0 {
				return errors.New("the numbers of a term's passages are cut off")
			}
			left = left[size:]
			if number += int64(distance); !found(number) {
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
	return collect(ctx, p.tx, func(row scanner) (h search.Hit, err error) {
		var headings string
		if err := row.Scan(&h.Index, &h.Title, &headings, &h.Start, &h.End, &h.Text); err != nil {
			return h, err
		}
		return h, json.Unmarshal([]byte(headings), &h.Headings)
	}, passagesByID, keys, numbers)
}

// termBytes is how much of a stem is told apart: what is longer is no word, and an entry
// of an index may not have more than 2,700 bytes.
const termBytes = 200

func stored(stem string) string {
	if len(stem) <= termBytes {
		return stem
	}
	cut := termBytes
	for !utf8.RuneStart(stem[cut]) {
		cut--
	}
	return stem[:cut]
}

// termed is a term with the passages of a document that hold it.
type termed struct {
	term    string
	numbers []byte
}

// termsOf gives the terms of a document, in order.
func termsOf(title string, all []split.Passage) (list []termed) {
	held, last := map[string][]byte{}, map[string]int{}
	ofTitle := stems(nil, title)
	for number, p := range all {
		ofPassage := stems(slices.Clone(ofTitle), p.Text)
		for _, heading := range p.Headings {
			ofPassage = stems(ofPassage, heading)
		}
		for _, stem := range ofPassage {
			before := last[stem] // 0 is none, then numbers count from 1
			if before == number+1 {
				continue
			}
			held[stem] = binary.AppendUvarint(held[stem], uint64(number+1-before))
			last[stem] = number + 1
		}
	}
	for _, term := range slices.Sorted(maps.Keys(held)) {
		list = append(list, termed{term, held[term]})
	}
	return list
}

func stems(all []string, text string) []string {
	for _, word := range words.Of(text) {
		all = append(all, stored(word.Stem))
	}
	return all
}
