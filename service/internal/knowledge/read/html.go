package read

import (
	"bytes"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"
)

// readHTML reads what a page shows: no scripts, styles, comments or attributes, no hidden
// elements, and no navigation or other frame of the page.
func readHTML(b *builder, data []byte) error {
	text, err := b.decodedHTML(data)
	if err != nil {
		return err
	}
	// The parser refuses elements nested in more than 512 others, which also bounds the recursion
	// of page.
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return Broken
	}
	p := &page{builder: b}
	p.walk(root)
	p.flush()
	return nil
}

// decodedHTML trusts the bytes more than the page: UTF-8 is read as UTF-8, whatever the page declares. A page that declares
// nothing is read as other texts are.
func (b *builder) decodedHTML(data []byte) (string, error) {
	declared, name, isCertain := charset.DetermineEncoding(data, "text/html")
	if isUTF8(data) || !isCertain && name == "windows-1252" || bytes.HasPrefix(data, []byte(utf16LE)) || bytes.HasPrefix(data, []byte(utf16BE)) {
		return b.decoded(data)
	}
	text, err := declared.NewDecoder().Bytes(data)
	if err != nil {
		return "", Broken
	}
	b.encoding = name
	return string(text), nil
}

// page is the state of a walk through a page.
type page struct {
	*builder
	inline strings.Builder // the text of the current block
	kind   BlockKind       // of that block; "" is Paragraph
	level  int
	lists  int
}

// skipped elements have text that a page does not show, or that is not part of its content.
var skipped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Noscript: true, atom.Iframe: true, atom.Object: true,
	atom.Svg: true, atom.Math: true, atom.Canvas: true, atom.Audio: true, atom.Video: true, atom.Nav: true, atom.Select: true,
	atom.Button: true, atom.Textarea: true, atom.Datalist: true, atom.Dialog: true, atom.Noembed: true, atom.Noframes: true,
}

// inlines do not end a block.
var inlines = map[atom.Atom]bool{
	atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true, atom.Data: true,
	atom.Del: true, atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Img: true, atom.Ins: true, atom.Kbd: true,
	atom.Label: true, atom.Mark: true, atom.Q: true, atom.Ruby: true, atom.S: true, atom.Samp: true, atom.Small: true,
	atom.Span: true, atom.Strike: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true,
	atom.U: true, atom.Var: true, atom.Wbr: true, atom.Input: true, atom.Big: true, atom.Acronym: true,
}

func (p *page) walk(n *html.Node) {
	switch n.Type {
	case html.TextNode:
		p.inline.WriteString(n.Data)
	case html.ElementNode:
		p.element(n)
	case html.DocumentNode:
		p.children(n)
	}
}

func (p *page) children(n *html.Node) {
	for child := n.FirstChild; child != nil; child = child.NextSibling {
		p.walk(child)
	}
}

func (p *page) element(n *html.Node) {
	switch {
	case skipped[n.DataAtom] || hidden(n) || n.Namespace != "":
	case n.DataAtom == atom.Title:
		if p.title == "" {
			p.title = content(n)
		}
	case n.DataAtom == atom.Br:
		p.inline.WriteByte('\n')
	case inlines[n.DataAtom]:
		p.children(n)
	default:
		p.flush()
		p.open(n)
		p.flush()
	}
}

// open reads an element that begins a block.
func (p *page) open(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		p.block(Heading, int(n.Data[1]-'0'), spaced(content(n)))
	case atom.Pre:
		p.block(Code, 0, content(n))
	case atom.Table:
		p.table(n)
	case atom.Ul, atom.Ol, atom.Menu:
		p.lists++
		p.children(n)
		p.flush()
		p.lists--
	case atom.Li, atom.Dt, atom.Dd:
		p.as(Item, max(p.lists, 1), n)
	default:
		p.children(n)
	}
}

// as reads the children of n as a block of a kind. Text after a block inside is a paragraph.
func (p *page) as(kind BlockKind, level int, n *html.Node) {
	p.kind, p.level = kind, level
	p.children(n)
}

// flush ends the current block.
func (p *page) flush() {
	text := p.inline.String()
	p.inline.Reset()
	if strings.TrimSpace(text) == "" {
		return
	}
	kind, level := p.kind, p.level
	if kind == "" {
		kind = Paragraph
	}
	p.kind, p.level = "", 0
	p.block(kind, level, spaced(text))
}

// hidden reports whether the author has hidden an element.
func hidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "style":
			style := strings.ToLower(strings.Join(strings.Fields(a.Val), ""))
			if strings.Contains(style, "display:none") || strings.Contains(style, "visibility:hidden") {
				return true
			}
		}
	}
	return false
}

// content returns all text in n that is shown.
func content(n *html.Node) string {
	var text strings.Builder
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		switch {
		case n.Type == html.TextNode:
			text.WriteString(n.Data)
		case n.Type != html.ElementNode, skipped[n.DataAtom], hidden(n), n.Namespace != "":
			return
		case n.DataAtom == atom.Br:
			text.WriteByte('\n')
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child)
		}
	}
	walk(n)
	return text.String()
}

// table turns each row into a line.
func (p *page) table(n *html.Node) {
	if arranges(n) {
		p.children(n)
		return
	}
	var rows []string
	for row := range n.Descendants() {
		if row.DataAtom != atom.Tr || row.Type != html.ElementNode || hidden(row) {
			continue
		}
		var cells []string
		for cell := row.FirstChild; cell != nil; cell = cell.NextSibling {
			if cell.DataAtom == atom.Td || cell.DataAtom == atom.Th {
				cells = append(cells, spaced(content(cell)))
			}
		}
		if text := strings.Join(cells, " | "); strings.Trim(text, " |") != "" {
			rows = append(rows, text)
		}
	}
	p.block(Table, 0, strings.Join(rows, "\n"))
}

// arranges reports whether a table only arranges a page, and has no data.
func arranges(n *html.Node) bool {
	for inner := range n.Descendants() {
		switch inner.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.H4, atom.Pre:
			return true
		}
	}
	return false
}
