package read_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"strings"
)

// pdfFile makes a PDF of objects, which are numbered from 1; the first is the catalog. extra is
// added to the trailer.
func pdfFile(extra string, objects ...string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n")
	var offsets []int
	for i, object := range objects {
		offsets = append(offsets, file.Len())
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	xref := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, extra, xref)
	return file.Bytes()
}

func stream(dictionary, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dictionary, len(content), content)
}

// deflated is a stream whose content is compressed.
func deflated(content []byte) string {
	var packed bytes.Buffer
	w := zlib.NewWriter(&packed)
	_, _ = w.Write(content)
	_ = w.Close()
	return stream("/Filter /FlateDecode", packed.String())
}

const helvetica = "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>"

// pdfPages makes a PDF whose pages have these contents; F is a font.
func pdfPages(contents ...string) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", helvetica}
	var kids strings.Builder
	for _, content := range contents {
		n := len(objects) + 1
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /Contents %d 0 R >>", n+1), content)
		fmt.Fprintf(&kids, "%d 0 R ", n)
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Count %d /Kids [%s] /Resources << /Font << /F 3 0 R >> >> >>", len(contents), kids.String())
	return pdfFile("/Info << /Title (Of rivers) >>", objects...)
}

// textAt shows a text in a size at a place.
func textAt(size, x, y int, text string) string {
	return fmt.Sprintf("BT /F %d Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n", size, x, y, text)
}
