package httpapi

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/url"

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

// list is the kind of list to which a cursor belongs: other lists refuse the cursor.
type list byte

const (
	memoryList list = iota + 1
	documentList
	callList
	answerList
	erasureList
)

// cursor encodes a position in a list as text that clients need not understand.
func (l list) cursor(position int64) string {
	if position == 0 {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString(binary.AppendUvarint([]byte{byte(l)}, uint64(position)))
}

// position decodes a cursor of this list. Each position has exactly one text.
func (l list) position(cursor string) (int64, error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && len(text) > 1 {
		if position, _ := binary.Uvarint(text[1:]); int64(position) > 0 && l.cursor(int64(position)) == cursor {
			return int64(position), nil
		}
	}
	return 0, invalid("cursor does not belong to this list; use the next_cursor of the previous page", "cursor")
}

// page is the part of a list that the query asks for.
type page struct {
	memory.Page
	// asked reports whether the query has a cursor or a limit.
	asked bool
}

// page reads the cursor and the limit of the query.
func (c *call) page(of list) (p page, err error) {
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
func (c *call) hasMore(asked, more bool) {
	if more && !asked {
		c.w.Header().Set(headerHasMore, "true")
	}
}

// historyPage is the part of a history that the query asks for.
type historyPage struct {
	chat.Page
	asked bool
}

func (c *call) historyPage() (p historyPage, err error) {
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
func documentPage(request wire.ListDocumentsRequest) (page knowledge.Page, err error) {
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
		page.Before, err = documentList.position(request.Cursor)
	}
	return page, err
}
