package postgres

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/split"
)

// The index of a document says which of its passages hold a term. One row for each term would
// take five times as much space, so terms share pages. A page is a sequence of terms. Each has
// its length before it and the numbers of its passages after it, with their length before them. A
// number is written as the distance from the previous one, the first from -1. Lengths and
// distances are in LEB128.

// termsOfPage is about how many terms a page has: few enough to search through.
const termsOfPage = 32

// termBytes is how many bytes of a stem are stored: anything longer is not a word.
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

// pageOf returns the page of a term if there are so many pages, a power of two.
func pageOf(term string, pages int64) int64 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(term)) // writing to a hash never fails
	return int64(hash.Sum32()) & (pages - 1)
}

// pagesOf makes the index of a document. A document without passages has none.
func pagesOf(title string, passages []split.Passage) [][]byte {
	if len(passages) == 0 {
		return nil
	}
	held := heldTerms(title, passages)
	count := 1
	for count*termsOfPage < len(held) {
		count *= 2
	}
	pages := slices.Repeat([][]byte{{}}, count) // no page may be nil, which would be NULL
	for _, term := range slices.Sorted(maps.Keys(held)) {
		page := &pages[pageOf(term, int64(count))]
		*page = append(binary.AppendUvarint(*page, uint64(len(term))), term...)
		*page = append(binary.AppendUvarint(*page, uint64(len(held[term]))), held[term]...)
	}
	return pages
}

// heldTerms returns the numbers of the passages that hold each term.
func heldTerms(title string, passages []split.Passage) map[string][]byte {
	held, last := map[string][]byte{}, map[string]int{}
	known := map[string]string{}
	for number, p := range passages {
		for _, text := range append([]string{title, p.Text}, p.Headings...) {
			for stem := range english.Stems(text, known) {
				term := stored(stem)
				before := last[term] // 0 means none, as numbers count from 1 here
				if before == number+1 {
					continue
				}
				held[term] = binary.AppendUvarint(held[term], uint64(number+1-before))
				last[term] = number + 1
			}
		}
	}
	return held
}

// numbersOf finds a term in a page, and returns its numbers; nil if the page doesn't have it.
func numbersOf(page []byte, term string) []byte {
	for len(page) > 0 {
		var name, numbers []byte
		name, page = cut(page)
		numbers, page = cut(page)
		if string(name) == term {
			return numbers
		}
	}
	return nil
}

// cut cuts off the first part, which has its length before it. After a truncated part there are
// no more.
func cut(page []byte) (part, rest []byte) {
	length, size := binary.Uvarint(page)
	if size <= 0 || uint64(len(page)-size) < length {
		return nil, nil
	}
	end := size + int(length)
	return page[size:end], page[end:]
}

// distances decodes numbers that are written as distances.
func distances(written []byte) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for number := int64(-1); len(written) > 0; {
			distance, size := binary.Uvarint(written)
			if size <= 0 {
				return
			}
			written = written[size:]
			if number += int64(distance); !yield(number) {
				return
			}
		}
	}
}
