package read_test

import (
	"archive/zip"
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/xuri/excelize/v2"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// packed makes an archive of names and contents, in this order.
func packed(t testing.TB, files ...string) []byte {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for i := 0; i < len(files); i += 2 {
		file, err := writer.Create(files[i])
		require.NoError(t, err)
		_, err = file.Write([]byte(files[i+1]))
		require.NoError(t, err)
	}
	require.NoError(t, writer.Close())
	return out.Bytes()
}

// blocksOf reads a file and returns a line for each block.
func blocksOf(t testing.TB, name string, data []byte) (d read.Document, lines []string) {
	t.Helper()
	d, err := read.Bytes(name, data)
	require.NoError(t, err)
	for _, b := range d.Blocks {
		lines = append(lines, fmt.Sprintf("%s%d %s", b.Kind, b.Level, d.Text[b.Start:b.End]))
	}
	return d, lines
}

const wordSpace = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`

func paragraph(style, text string) string {
	return `<w:p><w:pPr><w:pStyle w:val="` + style + `"/></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
}

func wordFile(t testing.TB, body string, more ...string) []byte {
	files := append([]string{
		"word/document.xml", `<w:document ` + wordSpace + `><w:body>` + body + `</w:body></w:document>`,
		"word/_rels/document.xml.rels", `<Relationships>
			<Relationship Id="1" Type="http://x/styles" Target="styles.xml"/><Relationship Id="2" Type="http://x/numbering" Target="/word/numbering.xml"/>
			<Relationship Id="3" Type="http://x/footnotes" Target="footnotes.xml"/><Relationship Id="4" Type="http://x/comments" Target="comments.xml"/>
			<Relationship Id="5" Type="http://x/footer" Target="footer1.xml"/><Relationship Id="6" Type="http://x/header" Target="http://evil.test/h.xml" TargetMode="External"/></Relationships>`,
		"word/styles.xml", `<w:styles ` + wordSpace + `>
			<w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style>
			<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="Deep"/></w:style>
			<w:style w:styleId="Deep"><w:name w:val="Deep"/><w:basedOn w:val="Mine"/><w:pPr><w:outlineLvl w:val="1"/></w:pPr></w:style></w:styles>`,
		"word/numbering.xml", `<w:numbering ` + wordSpace + `><w:abstractNum w:abstractNumId="7">
			<w:lvl w:ilvl="0"><w:start w:val="3"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>
			<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1.%2)"/></w:lvl></w:abstractNum>
			<w:num w:numId="1"><w:abstractNumId w:val="7"/></w:num></w:numbering>`,
		"word/footnotes.xml", `<w:footnotes ` + wordSpace +
			`><w:footnote w:id="2"><w:p><w:r><w:t>Not on Sundays.</w:t></w:r></w:p></w:footnote></w:footnotes>`,
		"word/comments.xml", `<w:comments ` + wordSpace + `><w:comment w:id="0"><w:p><w:r><w:t>Check this.</w:t></w:r></w:p></w:comment></w:comments>`,
		"word/footer1.xml", `<w:ftr ` + wordSpace + `><w:p><w:r><w:t>Acme Ltd</w:t></w:r></w:p><w:p><w:r><w:t>Acme Ltd</w:t></w:r></w:p></w:ftr>`,
	}, more...)
	return packed(t, files...)
}

func TestWordDocuments(t *testing.T) {
	t.Parallel()
	number := func(level, text string) string {
		return `<w:p><w:pPr><w:numPr><w:ilvl w:val="` + level + `"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>` + text + `</w:t></w:r></w:p>`
	}
	cell := func(properties, text string) string {
		return `<w:tc><w:tcPr>` + properties + `</w:tcPr><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:tc>`
	}
	body := paragraph("berschrift1", "Leave") +
		`<w:p><w:r><w:t xml:space="preserve">There are </w:t></w:r><w:del><w:r><w:delText>25</w:delText></w:r></w:del><w:ins><w:r><w:t>27</w:t></w:r></w:ins>
			<w:r><w:t xml:space="preserve"> days</w:t><w:tab/><w:t>a year.</w:t><w:footnoteReference w:id="2"/><w:commentReference w:id="0"/></w:r>
			<w:r><w:instrText>HYPERLINK "http://evil.test"</w:instrText></w:r></w:p>` +
		paragraph("Mine", "Deeper") + number("0", "Ask.") + number("1", "Early.") + number("1", "In writing.") + number("0", "Wait.") +
		`<w:tbl><w:tr>` + cell("", "Case") + cell(`<w:gridSpan w:val="2"/>`, "Days") + `</w:tr><w:tr>` + cell("", "") + cell("", "paid") + cell("",
		"unpaid") + `</w:tr>
			<w:tr>` + cell(`<w:vMerge w:val="restart"/>`, "Wedding") + cell("", "3") + cell("", "2") + `</w:tr><w:tr>` + cell(`<w:vMerge/>`, "") + cell("", "1") + cell("", "") + `</w:tr></w:tbl>`
	d, lines := blocksOf(t, "leave.docx", wordFile(t, body, "docProps/core.xml", `<c:p xmlns:c="c" xmlns:dc="d"><dc:title>Our leave</dc:title></c:p>`))
	require.Equal(t, read.DOCX, d.Kind)
	require.Equal(t, "Our leave", d.Title)
	require.Equal(t, []string{
		"heading1 Leave", "paragraph0 There are 27 days\ta year.", "paragraph0 Footnote: Not on Sundays.", "paragraph0 Comment: Check this.",
		"heading2 Deeper",
		"item1 3. Ask.", "item2 3.a) Early.", "item2 3.b) In writing.", "item1 4. Wait.",
		"table0 Case · Days paid · Days unpaid\nWedding · Days paid 3 · Days unpaid 2\nWedding · Days paid 1", "paragraph0 Acme Ltd",
	}, lines)
}

func TestWorkbooks(t *testing.T) {
	t.Parallel()
	file := excelize.NewFile()
	set := func(sheet, cell string, value any) { require.NoError(t, file.SetCellValue(sheet, cell, value)) }
	require.NoError(t, file.SetSheetName("Sheet1", "Prices"))
	for i, row := range [][]any{{"Trade prices"}, {}, {"Code", "Article", "Price"}, {"", "", "GBP", "EUR"}, {"T-1", "Spade, pointed", 27.4, 32.06},
		{"T-2", "Fork", 46.5, nil}} {
		for x, value := range row {
			cell, err := excelize.CoordinatesToCellName(x+1, i+1)
			require.NoError(t, err)
			set("Prices", cell, value)
		}
	}
	require.NoError(t, file.MergeCell("Prices", "C3", "D3"))
	style, err := file.NewStyle(&excelize.Style{NumFmt: 2}) // 0.00
	require.NoError(t, err)
	require.NoError(t, file.SetCellStyle("Prices", "C5", "D6", style))
	require.NoError(t, file.AddComment("Prices", excelize.Comment{Cell: "B6", Author: "Ann", Text: "Last ones."}))
	_, err = file.NewSheet("Rates")
	require.NoError(t, err)
	set("Rates", "A1", "VAT")
	set("Rates", "B1", 0.2)
	percent, err := file.NewStyle(&excelize.Style{NumFmt: 9})
	require.NoError(t, err)
	require.NoError(t, file.SetCellStyle("Rates", "B1", "B1", percent))
	var out bytes.Buffer
	require.NoError(t, file.Write(&out))
	d, lines := blocksOf(t, "prices.xlsx", out.Bytes())
	require.Equal(t, read.XLSX, d.Kind)
	require.Equal(t, []string{
		"heading1 Prices", "paragraph0 Trade prices",
		"table0 Code · Article · Price GBP · Price EUR\nT-1 · Article Spade, pointed · Price GBP 27.40 · Price EUR 32.06\nT-2 · Article Fork · Price GBP 46.50",
		"paragraph0 Comment on B6: Last ones.", "heading1 Rates", "table0 VAT · 20%",
	}, lines)
}

func TestSlides(t *testing.T) {
	t.Parallel()
	shape := func(holder, paragraphs string) string {
		return `<p:sp><p:nvSpPr><p:nvPr>` + holder + `</p:nvPr></p:nvSpPr><p:txBody>` + paragraphs + `</p:txBody></p:sp>`
	}
	slide := func(tree string) string {
		return `<p:sld xmlns:p="p" xmlns:a="a"><p:cSld><p:spTree>` + tree + `</p:spTree></p:cSld></p:sld>`
	}
	said := func(text string) string { return `<a:p><a:r><a:t>` + text + `</a:t></a:r></a:p>` }
	data := packed(t,
		"ppt/presentation.xml",
		`<p:presentation xmlns:p="p" xmlns:r="http://x/relationships"><p:sldIdLst><p:sldId id="256" r:id="b"/><p:sldId id="257" r:id="a"/></p:sldIdLst></p:presentation>`,
		"ppt/_rels/presentation.xml.rels",
		`<R><R Id="a" Type="http://x/slide" Target="slides/slide1.xml"/><R Id="b" Type="http://x/slide" Target="slides/slide2.xml"/></R>`,
		"ppt/slides/slide1.xml", slide(shape("", said("No title here"))),
		"ppt/slides/slide2.xml", slide(shape(`<p:ph type="body"/>`, said("Sales are up"))+shape(`<p:ph type="title"/>`, said("The quarter"))+
			shape(`<p:ph type="sldNum"/>`, said("1"))+
			`<p:graphicFrame><a:tbl><a:tr><a:tc><a:txBody>`+said("Shop")+`</a:txBody></a:tc><a:tc><a:txBody>`+said("Sales")+`</a:txBody></a:tc></a:tr>
			<a:tr><a:tc><a:txBody>`+said("Harbour")+`</a:txBody></a:tc><a:tc><a:txBody>`+said("187")+`</a:txBody></a:tc></a:tr></a:tbl></p:graphicFrame>`),
		"ppt/slides/_rels/slide2.xml.rels", `<R><R Id="n" Type="http://x/notesSlide" Target="../notesSlides/n.xml"/></R>`,
		"ppt/notesSlides/n.xml", slide(shape(`<p:ph type="body"/>`, said("Say thanks."))))
	d, lines := blocksOf(t, "q.pptx", data)
	require.Equal(t, read.PPTX, d.Kind)
	require.Equal(t, []string{
		"heading1 Slide 1: The quarter", "item1 Sales are up", "table0 Shop · Sales\nHarbour · Sales 187", "paragraph0 Notes: Say thanks.",
		"heading1 Slide 2: No title here",
	}, lines)
}

func TestOpenDocuments(t *testing.T) {
	t.Parallel()
	content := func(kind, body string) string {
		return `<o:document-content xmlns:o="o" xmlns:text="t" xmlns:table="b" xmlns:draw="d" xmlns:presentation="p"><o:body><o:` + kind + `>` + body +
			`</o:` + kind + `></o:body></o:document-content>`
	}
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	tests := []struct {
		kind        read.Kind
		media, body string
		want        []string
	}{
		{read.ODT, "text", content("text", `<text:tracked-changes><text:p>gone</text:p></text:tracked-changes><text:h text:outline-level="2">Times</text:h>
			<text:p>Work<text:s text:c="2"/>begins<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>At night.</text:p></text:note-body></text:note>.</text:p>
			<text:list><text:list-item><text:p>One</text:p><text:list><text:list-item><text:p>Two</text:p></text:list-item></text:list></text:list-item></text:list>
			<table:table><table:table-row>`+cell("", "Zone")+cell("", "Days")+`</table:table-row><table:table-row>`+cell("", "North")+cell("", "2")+`</table:table-row></table:table>`),
			[]string{"heading2 Times", "paragraph0 Work  begins.", "paragraph0 Footnote: At night.", "item1 One", "item2 Two",
				"table0 Zone · Days\nNorth · Days 2"}},
		{read.ODS, "spreadsheet", content("spreadsheet", `<table:table table:name="Stock"><table:table-row>`+cell("", "Article")+cell("", "Pieces")+
			`</table:table-row>
			<table:table-row table:number-rows-repeated="2">`+cell("", "Fork")+cell("", "4")+`<table:table-cell table:number-columns-repeated="16384"/></table:table-row>
			<table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>`),
			[]string{"heading1 Stock", "table0 Article · Pieces\nFork · Pieces 4\nFork · Pieces 4"}},
		{read.ODP, "presentation", content("presentation",
			`<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>Hello</text:p></draw:text-box></draw:frame>
			<draw:frame><draw:text-box><text:p>World</text:p></draw:text-box></draw:frame><presentation:notes><text:p>Wave.</text:p></presentation:notes></draw:page>`),
			[]string{"heading1 Slide 1: Hello", "paragraph0 World", "paragraph0 Notes: Wave."}},
	}
	for _, test := range tests {
		d, lines := blocksOf(t, "a."+string(test.kind), packed(t, "mimetype", "application/vnd.oasis.opendocument."+test.media, "content.xml", test.body))
		require.Equal(t, test.kind, d.Kind)
		require.Equal(t, test.want, lines)
	}
	_, err := read.Bytes("a.odt", packed(t, "mimetype", "application/vnd.oasis.opendocument.text", "META-INF/manifest.xml", "<m><encryption-data/></m>",
		"content.xml", "x"))
	require.ErrorIs(t, err, read.Encrypted)
}

func TestBooks(t *testing.T) {
	t.Parallel()
	d, lines := blocksOf(t, "b.epub", packed(t, "mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container><rootfiles><rootfile full-path="O/b.opf"/></rootfiles></container>`,
		"O/b.opf", `<package xmlns:dc="d"><metadata><dc:title>A book</dc:title></metadata><manifest><item id="1" href="one%20.xhtml"/><item id="2" href="two.xhtml"/></manifest>
			<spine><itemref idref="2"/><itemref idref="1"/><itemref idref="2"/></spine></package>`,
		"O/one .xhtml", `<html><head><title>x</title></head><body><p>Second.</p></body></html>`, "O/two.xhtml",
		`<html><body><h1>Chapter</h1><p>First.</p></body></html>`))
	require.Equal(t, "A book", d.Title)
	require.Equal(t, []string{"heading1 Chapter", "paragraph0 First.", "paragraph0 Second."}, lines)
}

func TestRichText(t *testing.T) {
	t.Parallel()
	d, lines := blocksOf(t, "a.rtf", []byte(`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0 Arial;}{\f1\fcharset128 Gothic;}}{\*\generator Word;}{\info{\title Secret}}
\pard\outlinelevel0 Heading\par\pard Text with \u8364 ?5 and \'cf\'f0\'e8\'e2\'e5\'f2{\f1 \'93\'fa\'96\'7b}.{\footnote A note.}{\deleted gone}\par
\trowd\intbl Name\cell Days\cell\row\trowd\intbl Ann\cell 3\cell\row\pard{\pict 89504e47}{\field{\*\fldinst HYPERLINK "x"}{\fldrslt link}}\line next\par}`))
	require.Equal(t, read.RTF, d.Kind)
	require.Equal(t, []string{"heading1 Heading", "paragraph0 Text with €5 and Привет日本.", "paragraph0 Footnote: A note.",
		"table0 Name · Days\nAnn · Days 3", "paragraph0 link\nnext"}, lines)
}

func TestTablesOfText(t *testing.T) {
	t.Parallel()
	_, lines := blocksOf(t, "o.csv", []byte("Nr;Kunde;Preis\r\n7;\"Müller; Söhne\";4,85\r\n8;\"Café \"\"Zwölf\"\"\";3,00\r\n"))
	require.Equal(t, []string{"table0 Nr · Kunde · Preis\n7 · Kunde Müller; Söhne · Preis 4,85\n8 · Kunde Café \"Zwölf\" · Preis 3,00"}, lines)
	_, lines = blocksOf(t, "o.tsv", []byte("a\tb\n1\t2, 3\n"))
	require.Equal(t, []string{"table0 a · b\n1 · b 2, 3"}, lines)
	_, lines = blocksOf(t, "c.yaml", []byte("# The gate\nport: 80\n\n\nhost: x\n  deep: y\n"))
	require.Equal(t, []string{"code0 # The gate\nport: 80", "code0 host: x\n  deep: y"}, lines)
	_, lines = blocksOf(t, "c.json", []byte(`{"a":[1,"b"]}`))
	require.Equal(t, []string{"code0 {\n \"a\": [\n  1,\n  \"b\"\n ]\n}"}, lines)
}

func TestMails(t *testing.T) {
	t.Parallel()
	d, lines := blocksOf(t, "m.eml", []byte(strings.ReplaceAll(`From: =?utf-8?q?Br=C3=ADd?= <b@x.test>
To: c@x.test
Subject: =?iso-8859-1?q?Gr=FC=DFe?=
Date: Thu, 11 Jun 2026 16:42:08 +0100
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Sch=F6ne =
Gr=FC=DFe
--a
Content-Type: text/html

<p>HTML</p>
--a--
--b
Content-Type: text/csv; name="a.csv"
Content-Disposition: attachment; filename="a.csv"
Content-Transfer-Encoding: base64

YSxiCjEsMgo=
--b
Content-Type: image/png
Content-Disposition: attachment; filename*=utf-8''bild%C3%A9.png

x
--b
Content-Type: message/rfc822

Subject: Inner

Body
--b--
`, "\n", "\r\n")))
	require.Equal(t, read.Mail, d.Kind)
	require.Equal(t, "Grüße", d.Title)
	require.Equal(t, []string{
		"heading1 Grüße", "paragraph0 From: Bríd <b@x.test>\nTo: c@x.test\nDate: Thu, 11 Jun 2026 16:42:08 +0100", "paragraph0 Schöne Grüße",
		"heading1 Attachment: a.csv", "table0 a · b\n1 · b 2", "paragraph0 Attachment: bildé.png (not read)", "heading3 Inner", "paragraph0 Body",
	}, lines)
}
