package read

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// The byte order marks of encodings.
const (
	utf8BOM = "\xef\xbb\xbf"
	utf16LE = "\xff\xfe"
	utf16BE = "\xfe\xff"
)

// decoded returns the text of bytes in UTF-8, in UTF-16 with a byte order mark, or otherwise in
// Windows-1252, which includes Latin-1.
func decoded(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte(utf16LE)), bytes.HasPrefix(data, []byte(utf16BE)):
		text, err := unicode.UTF16(unicode.LittleEndian, unicode.ExpectBOM).NewDecoder().Bytes(data)
		if err != nil {
			return "", Broken
		}
		return string(text), nil
	case utf8.Valid(data):
		return strings.TrimPrefix(string(data), utf8BOM), nil
	}
	text, err := charmap.Windows1252.NewDecoder().Bytes(data)
	if err != nil {
		return "", Broken
	}
	return string(text), nil
}

// readPlain makes a paragraph of the lines between empty lines.
func readPlain(b *builder, data []byte) error {
	text, err := decoded(data)
	if err != nil {
		return err
	}
	var lines []string
	for line := range strings.Lines(visible(text) + "\n\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
			continue
		}
		b.block(Paragraph, 0, strings.Join(lines, ""))
		lines = lines[:0]
	}
	return nil
}
