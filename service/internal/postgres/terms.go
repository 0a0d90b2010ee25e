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

// The index of a document tells which of its passages hold a term. A row for each term
// would be five times as large. So terms share pages: a page is a sequence of terms, each
// with its length before it and behind it the numbers of its passages, with their length
// before them. A number is written as its distance from the one before, the first from -1.
// Lengths and distances are in LEB128.

// termsOfPage is about how many terms a page has: few enough to look through.
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

// pageOf is the page of a term, where there are so many, a power of two.
func pageOf(term string, pages int64) int64 {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(term)) // a hash takes everything
	return int64(hash.Sum32()) & (pages - 1)
}

// pagesOf makes the index of a document; one without passages has none.
func pagesOf(title string, passages []split.Passage) [][]byte {
	if len(passages) == 0 {
		return nil
	}
	held := heldTerms(title, passages)
	count := 1
	for count*termsOfPage < len(held) {
		count *= 2
	}
	pages := slices.Repeat([][]byte{{}}, count) // none is nil, which is NULL
	for _, term := range slices.Sorted(maps.Keys(held)) {
		page := &pages[pageOf(term, int64(count))]
		*page = append(binary.AppendUvarint(*page, uint64(len(term))), term...)
		*page = append(binary.AppendUvarint(*page, uint64(len(held[term]))), held[term]...)
	}
	return pages
}

// heldTerms gives the numbers of the passages that hold each term.
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

// numbersOf finds a term in a page; nil means none.
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

// cut takes a part off with its length before it. A page that is cut off has no more parts.
func cut(page []byte) (part, rest []byte) {
	length, size := binary.Uvarint(page)
	if size <= 0 || uint64(len(page)-size) < length {
		return nil, nil
	}
	end := size + int(length)
	return page[size:end], page[end:]
}

// distances gives the numbers that are written as distances.
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
