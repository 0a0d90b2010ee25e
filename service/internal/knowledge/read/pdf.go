package read

import (
	"bytes"
	"errors"
	"strings"

	"github.com/ledongthuc/pdf"
)

// readPDF reads the text of a PDF's pages in the order in which they paint it, which is the
// reading order in files that programs write. It doesn't read text in pictures, forms, or notes
// on the pages. It only uses the library to read the objects of the file: the library's own text
// loses the spaces of TeX and more.
func readPDF(b *builder, data []byte) (err error) {
	data = tidied(data)
	unpacked := newBudget(data, b.unpacked)
	defer func() {
		if unpacked.spent { // whatever the library returned
			_ = recover()
			err = TooMuchInside
		}
	}()
	file, err := pdf.NewReader(unpacked, int64(len(data)))
	switch {
	case errors.Is(err, pdf.ErrInvalidPassword), err != nil && bytes.Contains(data, []byte("/Encrypt")):
		return Encrypted
	case err != nil:
		return Broken
	}
	root := file.Trailer().Key("Root")
	t := &tree{}
	if err := t.walk(root.Key("Pages"), pdf.Value{}, 0); err != nil {
		return err
	}
	if len(t.pages) == 0 {
		return Broken
	}
	b.title = pdfTitle(file.Trailer().Key("Info").Key("Title").Text())
	return b.pages(t.pages)
}

// tidied changes a file so that the library accepts what all readers accept: bytes before the
// header or after the end, and version 2.0, which for text is the same as 1.7. Bytes keep their
// distance from the header.
func tidied(data []byte) []byte {
	data = data[max(bytes.Index(data, []byte("%PDF-")), 0):]
	if end := bytes.LastIndex(data, []byte("%%EOF")); end >= 0 {
		data = data[:end+len("%%EOF")]
	}
	data = bytes.Clone(data)
	if len(data) > len("%PDF-1.7\n") {
		copy(data, "%PDF-1.7\n")
	}
	return data
}

// pdfTitle ignores titles that programs write if nobody has set one.
func pdfTitle(title string) string {
	lower := strings.ToLower(strings.TrimSpace(title))
	for _, suffix := range []string{".doc", ".docx", ".tex", ".dvi", ".indd", ".qxd", ".pdf"} {
		if strings.HasSuffix(lower, suffix) {
			return ""
		}
	}
	if strings.HasPrefix(lower, "untitled") || strings.HasPrefix(lower, "microsoft word - ") {
		return ""
	}
	return title
}

// tree is a walk through the page tree.
type tree struct {
	pages []pdfPage
	nodes int
}

type pdfPage struct{ contents, resources pdf.Value }

// Limits of a page tree. A tree with a loop ends at one of them.
const (
	maxDepth = 32
	maxNodes = 50_000
)

func (t *tree) walk(node, resources pdf.Value, depth int) error {
	if t.nodes++; t.nodes > maxNodes || depth > maxDepth {
		return Broken
	}
	if own := node.Key("Resources"); !own.IsNull() {
		resources = own
	}
	kids := node.Key("Kids")
	if kids.Kind() != pdf.Array {
		if !node.IsNull() {
			t.pages = append(t.pages, pdfPage{node.Key("Contents"), resources})
		}
		return nil
	}
	for i := range kids.Len() {
		if err := t.walk(kids.Index(i), resources, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// pages reads all pages. It skips pages that can't be read, unless none can.
func (b *builder) pages(pages []pdfPage) error {
	var all [][]pdfLine
	broken, size := 0, 0
	for _, page := range pages {
		lines, err := page.lines(MaxText - size)
		if errors.Is(err, TooMuchText) {
			return err
		}
		if err != nil {
			broken++
		}
		for _, line := range lines {
			size += len(line.text)
		}
		all = append(all, lines)
	}
	if broken == len(pages) {
		return Broken
	}
	b.layOut(withoutMargins(all))
	return nil
}
