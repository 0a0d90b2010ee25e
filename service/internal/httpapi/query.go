package httpapi

import (
	"fmt"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// values parses the query.
func (c *exchange) values() (url.Values, error) {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil {
		return nil, invalid("The query cannot be read")
	}
	return query, nil
}

// query returns the named values of the query. Each may occur once and must not be empty; absent
// values are empty. Other names are ignored.
func (c *exchange) query(names ...string) (map[string]string, error) {
	query, err := c.values()
	if err != nil {
		return nil, err
	}
	read := map[string]string{}
	var wrong []string
	for _, name := range names {
		switch values := query[name]; {
		case len(values) == 1 && isID(values[0]):
			read[name] = values[0]
		case len(values) > 0:
			wrong = append(wrong, name)
		}
	}
	if wrong != nil {
		return nil, invalid(strings.Join(wrong, " and ")+` must be one value in UTF-8, and not ".", ".." or empty`, wrong...)
	}
	return read, nil
}

// queryNumber reads a whole number between least and most from the query.
func queryNumber(query url.Values, name string, absent, least, most int64) (int64, error) {
	values := query[name]
	if len(values) == 0 {
		return absent, nil
	}
	number, err := strconv.ParseUint(values[0], 10, 63)
	if err != nil || len(values) > 1 || int64(number) < least || int64(number) > most {
		return 0, invalid(fmt.Sprintf("%s must be one whole number from %d to %d", name, least, most), name)
	}
	return int64(number), nil
}

// span returns the part of a text that the query asks for, in UTF-16 units; nil means all of it.
func (c *exchange) span() (*wire.Span, error) {
	query, err := c.values()
	if err != nil || !query.Has("start") && !query.Has("end") {
		return nil, err
	}
	start, err := queryNumber(query, "start", 0, 0, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	end, err := queryNumber(query, "end", math.MaxInt32, 0, math.MaxInt32)
	return &wire.Span{Start: int(start), End: int(end)}, err
}
