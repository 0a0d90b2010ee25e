package postgres

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// PostgreSQL's text holds every character except U+0000, which requests may not contain but a
// model may write. It is stored as mark and 0, and mark itself, which Unicode reserves for
// internal use, as mark and 1. Bytes that are not UTF-8 are stored as JSON has them, as U+FFFD.
const mark = "\ufdd0"

var (
	marking   = strings.NewReplacer("\x00", mark+"0", mark, mark+"1")
	unmarking = strings.NewReplacer(mark+"0", "\x00", mark+"1", mark)
)

// storableText returns text in a form that PostgreSQL can store.
func storableText(text string) string {
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\ufffd")
	}
	if strings.IndexByte(text, 0) < 0 && !strings.Contains(text, mark) {
		return text
	}
	return marking.Replace(text)
}

// storable returns args with storable strings. It doesn't change args, which may be used again.
func storable(args []any) []any {
	all := slices.Clone(args)
	for i, arg := range all {
		switch arg := arg.(type) {
		case string:
			all[i] = storableText(arg)
		case []string:
			texts := make([]string, len(arg))
			for i, text := range arg {
				texts[i] = storableText(text)
			}
			all[i] = texts
		}
	}
	return all
}

// restore restores scanned strings to what they were before they were stored.
func restore(scanned []any) {
	for _, to := range scanned {
		if text, ok := to.(*string); ok && strings.Contains(*text, mark) {
			*text = unmarking.Replace(*text)
		}
	}
}
