package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"io"
	"os"

	"github.com/chatsdk/chatsdk/service/internal/store"
)

// SQLite overwrites a row that is deleted, but not always the copies of it. When it spreads the rows
// of a page over others, the space that becomes free there keeps its bytes (rebuildPage in
// btree.c). These are copies of rows that exist; when such a row is deleted later, the copy stays. So
// the free space of all pages is looked at after deletions, and zeroed where it holds something.
// The file format is described at https://www.sqlite.org/fileformat2.html#b_tree_pages.

const (
	// stepPages is how many pages one transaction zeroes.
	stepPages = 64
	// scanBytes is how much of the file is read at once.
	scanBytes = 1 << 20
	// mostPages is how many pages a file has at most in which the first byte tells pages of rows from
	// all others: these begin with the number of a page.
	mostPages = 1 << 24

	readPage  = `SELECT data FROM sqlite_dbpage WHERE pgno = ?`
	writePage = `UPDATE sqlite_dbpage SET data = ? WHERE pgno = ?`
)

// scrub zeroes the free space of the pages in the file, and reports whether it found something there.
// The write-ahead log should be empty.
func (s *Store) scrub(ctx context.Context) (found bool, err error) {
	pages, err := stalePages(ctx, s.raw)
	if err != nil {
		return false, err
	}
	for len(pages) > 0 {
		some := pages[:min(stepPages, len(pages))]
		err := s.writeFreeing(ctx, func(ctx context.Context, tx store.Session) error { return zeroFree(ctx, tx, some) })
		if err != nil {
			return false, err
		}
		pages, found = pages[len(some):], true
	}
	return found, nil
}

// zeroFree reads the pages again, because others may have written them.
func zeroFree(ctx context.Context, tx store.Session, pages []int64) error {
	for _, number := range pages {
		var page []byte
		err := tx.Row(ctx, readPage, number).Scan(&page)
		if errors.Is(err, sql.ErrNoRows) {
			continue
		}
		if err != nil {
			return err
		}
		free := freeSpace(page, number)
		if isZero(free) {
			continue
		}
		clear(free)
		if _, err := tx.Exec(ctx, writePage, page, number); err != nil {
			return err
		}
	}
	return nil
}

// stalePages returns the numbers of pages with something in their free space.
func stalePages(ctx context.Context, file *os.File) (numbers []int64, err error) {
	var head [18]byte
	if _, err := file.ReadAt(head[:], 0); err != nil {
		return nil, err
	}
	size := int(binary.BigEndian.Uint16(head[16:]))
	if size == 1 {
		size = 1 << 16
	}
	buffer := make([]byte, scanBytes)
	for number := int64(1); number < mostPages && ctx.Err() == nil; {
		n, err := file.ReadAt(buffer, (number-1)*int64(size))
		for at := 0; at+size <= n; at += size {
			if !isZero(freeSpace(buffer[at:at+size], number)) {
				numbers = append(numbers, number)
			}
			number++
		}
		if err == io.EOF {
			return numbers, nil
		}
		if err != nil {
			return nil, err
		}
	}
	return numbers, ctx.Err()
}

// freeSpace returns the part of a page between the list of its rows and the rows; nil if it is not a
// page of rows.
func freeSpace(page []byte, number int64) []byte {
	head := 0
	if number == 1 {
		head = 100 // after the head of the file
	}
	from := head + 8
	switch page[head] {
	case 2, 5: // inner pages of an index and of a table
		from += 4
	case 10, 13: // leaves
	default:
		return nil
	}
	from += 2 * int(binary.BigEndian.Uint16(page[head+3:]))
	to := int(binary.BigEndian.Uint16(page[head+5:]))
	if to == 0 {
		to = 1 << 16
	}
	if from > to || to > len(page) {
		return nil // it was read while it was written
	}
	return page[from:to]
}

var zeros [1 << 16]byte

func isZero(bytesOf []byte) bool { return bytes.Equal(bytesOf, zeros[:len(bytesOf)]) }
