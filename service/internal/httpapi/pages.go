package httpapi

import (
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"maps"
	"net/url"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// headerHasMore is set on an answer that holds only a part of a list although the request asked
// for no page.
const headerHasMore = "X-Has-More"

// maxItems is how many items an answer without paging has at most. It is also the largest page,
// except of chats and documents.
const maxItems = 1000

// historyBytes bounds what is stored of the messages on a page of a history, together.
const historyBytes = 10 << 20

// kind is a kind of lists that have cursors.
type kind byte

// The numbers of an earlier release began at 1. It gave one kind to all lists of memories.
const (
	listedMemories kind = iota + 0x41
	userMemories
	pendingMemories
	listedDocuments
	listedCalls
	answersOfMemory
	listedErasures
)

// list is a list as a caller sees it, with its filters. Its cursors belong to it: other lists refuse them.
type list struct {
	kind kind
	// digest tells lists of a kind apart.
	digest [4]byte
}

// list returns the list of a kind that the request asks for, with the filters that it names.
func (c *exchange) list(of kind, filters map[string]string) list {
	sum := sha256.New()
	add := func(name, value string) {
		if value != "" {
			_, _ = fmt.Fprintf(sum, "%q=%q\n", name, value)
		}
	}
	add("caller", c.caller.UserID)
	for _, values := range []map[string]string{c.path, filters} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			add(name, values[name])
		}
	}
	return list{of, [4]byte(sum.Sum(nil))}
}

// cursor encodes a position in a list as text that clients need not understand.
func (l list) cursor(position int64) string {
	if position == 0 {
		return ""
	}
	head := append([]byte{byte(l.kind)}, l.digest[:]...)
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint(head, uint64(position)))
}

// position decodes a cursor of this list. Each position has exactly one text.
func (l list) position(cursor string) (int64, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if head := 1 + len(l.digest); err == nil && len(text) > head {
		if position, _ := binary.Uvarint(text[head:]); int64(position) > 0 && l.cursor(int64(position)) == cursor {
			return int64(position), nil
		}
	}
	return 0, invalid("cursor does not belong to this list with these filters; use the next_cursor of its previous page, or begin without a cursor", "cursor")
}

// page is the part of a list that the query asks for.
type page struct {
	memory.Page
	// asked reports whether the query has a cursor or a limit.
	asked bool
}

// page reads the cursor and the limit of the query.
func (c *exchange) page(of list) (p page, err error) {
	query, err := c.values()
	if err != nil {
		return p, err
	}
	if p.Limit, p.asked, err = pageLimit(query, "cursor"); err != nil {
		return p, err
	}
	if query.Has("cursor") {
		if len(query["cursor"]) > 1 {
			return p, invalid("cursor must be given once", "cursor")
		}
		p.Before, err = of.position(query.Get("cursor"))
	}
	return p, err
}

// pageLimit returns how many items a page has, and whether the query asks for a page: with a
// limit, or with the parameter that begin names.
func pageLimit(query url.Values, begin string) (limit int, asked bool, err error) {
	number, err := queryNumber(query, "limit", maxItems, 1, maxItems)
	return int(number), query.Has(begin) || query.Has("limit"), err
}

// hasMore sets headerHasMore for a client that asked for no page.
func (c *exchange) hasMore(asked, more bool) {
	if more && !asked {
		c.w.Header().Set(headerHasMore, "true")
	}
}

// historyPage is the part of a history that the query asks for.
type historyPage struct {
	chat.Page
	asked bool
}

func (c *exchange) historyPage() (p historyPage, err error) {
	query, err := c.values()
	if err != nil {
		return p, err
	}
	if p.Limit, p.asked, err = pageLimit(query, "before"); err != nil {
		return p, err
	}
	named, err := c.query("before", "message_id", "branches")
	if err != nil {
		return p, err
	}
	p.Before, p.Through, p.Bytes = named["before"], named["message_id"], historyBytes
	switch branches := named["branches"]; {
	case branches == "all" && p.Through != "":
		err = invalid("branches=all and message_id cannot be combined", "branches", "message_id")
	case branches == "all":
		p.All = true
	case branches != "":
		err = invalid("branches must be all, or be left out", "branches")
	}
	return p, err
}

// documentPage is the page of documents that a request asks for.
func documentPage(request wire.ListDocumentsRequest, of list) (page knowledge.Page, err error) {
	page = knowledge.Page{Number: 1, Size: knowledge.DefaultPage, Search: request.NameSearch}
	switch {
	case request.Cursor != "" && request.Page != nil:
		return page, invalid("cursor and page cannot be combined", "cursor", "page")
	case request.Limit != nil && request.ItemsPerPage != nil:
		return page, invalid("limit and items_per_page cannot be combined", "limit", "items_per_page")
	case request.Limit != nil && (*request.Limit < 1 || *request.Limit > knowledge.MaxPage):
		return page, invalid(fmt.Sprintf("limit is %d, want 1 to %d", *request.Limit, knowledge.MaxPage), "limit")
	}
	if request.Page != nil {
		page.Number = *request.Page
	}
	if size := cmp.Or(request.Limit, request.ItemsPerPage); size != nil {
		page.Size = *size
	}
	if request.Cursor != "" {
		page.Before, err = of.position(request.Cursor)
	}
	return page, err
}
