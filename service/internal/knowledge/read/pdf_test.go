package read_test

import (
	"bytes"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// blocks writes what was read, one block a line.
func blocks(d read.Document) string {
	var all strings.Builder
	for _, b := range d.Blocks {
		fmt.Fprintf(&all, "%s %d: %s\n", b.Kind, b.Level, d.Text[b.Start:b.End])
	}
	return all.String()
}

func TestPDFText(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, content, want string
	}{
		{
			"lines of a paragraph are joined, and divided words",
			textAt(10, 50, 700, "The river is long and") + textAt(10, 50, 688, "full of salm-") + textAt(10, 50, 676, "on. It flows."),
			"paragraph 0: The river is long and full of salmon. It flows.\n",
		},
		{
			"a gap separates paragraphs",
			textAt(10, 50, 700, "One.") + textAt(10, 50, 670, "Two."),
			"paragraph 0: One.\nparagraph 0: Two.\n",
		},
		{
			"large text is a heading",
			textAt(18, 50, 750, "Rivers") + textAt(14, 50, 730, "Of the north") + textAt(10, 50, 700, "They are cold, and they are long, and they freeze."),
			"heading 1: Rivers\nheading 2: Of the north\nparagraph 0: They are cold, and they are long, and they freeze.\n",
		},
		{
			"large moves between letters make spaces, small ones do not",
			"BT /F 10 Tf 50 700 Td [(T) 80 (o) -300 (the) -250 (sea)] TJ ET",
			"paragraph 0: To the sea\n",
		},
		{
			"words without spaces between them are placed apart",
			textAt(10, 50, 700, "river") + textAt(10, 78, 700, "bank"),
			"paragraph 0: river bank\n",
		},
		{
			"columns are read one after the other",
			textAt(10, 50, 700, "Left goes") + textAt(10, 50, 688, "on and") + textAt(10, 300, 700, "ends right.") + textAt(10, 300, 688, "Then more."),
			"paragraph 0: Left goes on and ends right. Then more.\n",
		},
		{"marks of Windows", textAt(10, 50, 700, "\\223naive\\224 caf\\351 \\226 ok"), "paragraph 0: “naive” café – ok\n"},
		{"text along the margin is left out", textAt(10, 50, 700, "Body.") + "BT /F 10 Tf 0 1 -1 0 20 300 Tm (arXiv) Tj ET", "paragraph 0: Body.\n"},
		{"items", textAt(10, 50, 700, "We have:") + textAt(10, 60, 688, "\\225 fish") + textAt(10, 60, 676, "\\225 birds"), "paragraph 0: We have:\nitem 1: fish\nitem 1: birds\n"},
		{"operators without operands are skipped", "Tj TJ Tm Td Q Q Do " + textAt(10, 50, 700, "Still."), "paragraph 0: Still.\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			for _, content := range []string{stream("", row.content), deflated([]byte(row.content))} {
				d, err := read.Bytes("rivers.pdf", pdfPages(content))
				require.NoError(t, err)
				require.Equal(t, row.want, blocks(d))
				require.Equal(t, read.PDF, d.Kind)
				require.Equal(t, "Of rivers", d.Title)
			}
		})
	}
}

func TestPDFWithoutItsMargins(t *testing.T) {
	t.Parallel()
	var pages []string
	for i := range 4 {
		pages = append(pages, stream("", textAt(10, 50, 780, "Annual report")+textAt(10, 50, 500, fmt.Sprintf("Body %c.", 'A'+i))+textAt(10, 300, 20, fmt.Sprintf("Page %d", i+1))))
	}
	d, err := read.Bytes("r.pdf", pdfPages(pages...))
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(d.Text, "Annual report"), d.Text)
	require.NotContains(t, d.Text, "Page 3")
	require.Contains(t, d.Text, "Body D.")
}

func TestPDFWithAMapToUnicode(t *testing.T) {
	t.Parallel()
	cmap := "/CIDInit /ProcSet findresource begin 12 dict begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange " +
		"1 beginbfchar <0001> <0066006900730068> endbfchar 2 beginbfrange <0010> <0012> <0061> <0020> <0021> [<0041> <D83DDE00>] endbfrange endcmap end end"
	d, err := read.Bytes("u.pdf", pdfFile("",
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
		"<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>",
		stream("", "BT /F 10 Tf 50 700 Td <0001001000110012> Tj -500 0 Td <00200021> Tj ET"),
		"<< /Type /Font /Subtype /Type0 /Encoding /Identity-H /ToUnicode 6 0 R /DescendantFonts [7 0 R] >>",
		stream("", cmap), "<< /Type /Font /DW 500 /W [1 [2000] 16 18 500] >>"))
	require.NoError(t, err)
	require.Equal(t, "fishabc\n\nA😀", d.Text)
	require.Equal(t, "u", d.Title, "the file's name, as there is no heading")
}

func TestPDFThatIsRefused(t *testing.T) {
	t.Parallel()
	page := "<< /Type /Page /Contents 4 0 R /Resources << /Font << /F 5 0 R >> >> >>"
	good := pdfPages(stream("", textAt(10, 50, 700, "Text.")))
	for _, row := range []struct {
		name string
		file []byte
		want read.Refusal
	}{
		{"a page tree that loops", pdfFile("", "<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Count 9 /Kids [2 0 R] >>"), read.Broken},
		{"a page tree that loops in two", pdfFile("", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R 3 0 R] >>", "<< /Kids [2 0 R 2 0 R] >>"), read.Broken},
		{"cut off in the middle", good[:len(good)/2], read.Broken},
		{"cut off by a few bytes", good[:len(good)-12], read.Broken},
		{"only a header", []byte("%PDF-1.7\n"), read.Broken},
		{"text called PDF", []byte("hello"), read.Broken},
		{"no pages", pdfFile("", "<< /Pages 2 0 R >>", "<< /Kids [] >>"), read.Broken},
		{"a page without text", pdfPages(stream("", "0 0 10 10 re f")), read.NoText},
		{"every page broken", pdfPages(stream("/Filter /FlateDecode", "no such thing")), read.Broken},
		{
			"encrypted", pdfFile("/Encrypt 6 0 R /ID [<00> <00>]", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", page, stream("", "xx"), helvetica,
				fmt.Sprintf("<< /Filter /Standard /V 1 /R 2 /P -4 /O <%s> /U <%s> >>", strings.Repeat("41", 32), strings.Repeat("42", 32))), read.Encrypted,
		},
		{
			"encrypted in a new way", pdfFile("/Encrypt << /Filter /Standard /V 5 /R 6 >> /ID [<00> <00>]", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", page,
				stream("", "xx"), helvetica), read.Encrypted,
		},
		{
			"a form that paints itself", pdfFile("", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Contents 4 0 R /Resources << /XObject << /X 5 0 R >> >> >>",
				stream("", "/X Do"), stream("/Subtype /Form /Resources << /XObject << /X 5 0 R >> >>", "/X Do /X Do")), read.NoText,
		},
		{"more text than there may be", pdfPages(deflated([]byte(textAt(10, 50, 700, strings.Repeat("letters ", 1_400_000))))), read.TooMuchText},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			_, err := read.Bytes("x.pdf", row.file)
			require.ErrorIs(t, err, row.want)
		})
	}
}

func TestPDFThatOtherReadersAccept(t *testing.T) {
	t.Parallel()
	good := pdfPages(stream("", textAt(10, 50, 700, "Text.")))
	for name, file := range map[string][]byte{
		"version 2":                bytes.Replace(good, []byte("%PDF-1.7"), []byte("%PDF-2.0"), 1),
		"something before it":      append([]byte("\r\n\r\n"), good...),
		"something after it":       append(bytes.Clone(good), bytes.Repeat([]byte{0}, 300)...),
		"one broken page of two":   pdfPages(stream("/Filter /FlateDecode", "no such thing"), stream("", textAt(10, 50, 700, "Text."))),
		"a name that says nothing": good,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes("file", file)
			require.NoError(t, err)
			require.Equal(t, "Text.", d.Text)
		})
	}
}

// A few KB that unpack to more than anybody writes are refused before the time is up, anywhere in
// the file.
func TestPDFThatUnpacksToTooMuch(t *testing.T) {
	t.Parallel()
	inflated := func(times int, content []byte) string {
		for range times {
			var packed bytes.Buffer
			w := zlib.NewWriter(&packed)
			_, _ = w.Write(content)
			_ = w.Close()
			content = packed.Bytes()
		}
		return string(content)
	}
	base85 := func(content string) string {
		packed := make([]byte, ascii85.MaxEncodedLen(len(content)))
		return string(packed[:ascii85.Encode(packed, []byte(content))]) + "~>"
	}
	page := func(content string) []byte { return pdfPages(content) }
	spaces := bytes.Repeat([]byte(" "), 9<<20)
	twice := inflated(2, spaces)
	require.Less(t, len(twice), 4<<10)
	half := inflated(2, spaces[:5<<20])
	text := textAt(10, 50, 700, "Text.")
	for name, file := range map[string][]byte{
		"twice":                   page(stream("/Filter [/FlateDecode /FlateDecode]", twice)),
		"with nothing at the end": page(stream("/Filter [/FlateDecode /ASCII85Decode]", inflated(1, spaces))),
		"in base 85":              page(stream("/Filter [/ASCII85Decode /FlateDecode /FlateDecode]", base85(twice))),
		"in two pages":            pdfPages(stream("/Filter [/FlateDecode /FlateDecode]", half), stream("/Filter [/FlateDecode /FlateDecode]", half)),
		"in a stream of objects":  objectStream(inflated(1, append([]byte("3 0 "), spaces...))),
		"beside a page with text": pdfPages(stream("", text), stream("/Filter [/FlateDecode /FlateDecode]", twice)),
		"with a filter to look up": pdfFile("", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Contents 4 0 R >>",
			stream("/Filter 5 0 R", inflated(1, spaces)), "/FlateDecode"),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := read.Within("a.pdf", file, 8<<20)
			require.ErrorIs(t, err, read.TooMuchInside)
		})
	}
	d, err := read.Bytes("a.pdf", pdfPages(stream("/Filter [/ASCII85Decode /FlateDecode]", base85(inflated(1, append(spaces[:1<<20:1<<20], text...))))))
	require.NoError(t, err)
	require.Equal(t, "Text.", d.Text)
}

// objectStream is a PDF that claims to have its page tree in a stream of objects.
func objectStream(packed string) []byte {
	var file bytes.Buffer
	file.WriteString("%PDF-1.7\n")
	objects := file.Len()
	fmt.Fprintf(&file, "1 0 obj\n%s\nendobj\n", stream("/Type /ObjStm /N 1 /First 100 /Filter /FlateDecode", packed))
	table := file.Len()
	entries := []byte{0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0, 0, 1, 0}
	binary.BigEndian.PutUint16(entries[7:], uint16(objects))
	binary.BigEndian.PutUint16(entries[12:], uint16(table))
	fmt.Fprintf(&file, "2 0 obj\n%s\nendobj\n", stream("/Type /XRef /Size 4 /W [1 3 1] /Root 3 0 R", string(entries)))
	fmt.Fprintf(&file, "startxref\n%d\n%%%%EOF\n", table)
	return file.Bytes()
}
