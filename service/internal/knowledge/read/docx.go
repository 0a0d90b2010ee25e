package read

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// word reads a document of Word. Changes that were tracked count as accepted. Notes and comments follow the paragraph to
// which they belong; headers and footers come last, each once.
type word struct {
	*archive
	styles    map[string]wordStyle
	numbering *numbering
	// notes are the texts of footnotes, endnotes and comments, by what they are and their ids.
	notes map[string]string
	// after are the notes and text boxes that follow the paragraph which is being read.
	after []string
}

// wordStyle is what is known of a style of paragraphs.
type wordStyle struct {
	name, base   string
	outline      int // the level of a heading, from 1; 0 for none
	list, indent string
}

func readDOCX(b *builder, data []byte) error {
	a, err := b.archive(data)
	if err != nil {
		return err
	}
	w := &word{archive: a, notes: map[string]string{}}
	document, parts, err := a.office("word/document.xml")
	if err != nil {
		return err
	}
	if err := w.readParts(parts); err != nil {
		return err
	}
	w.blocks(document.child("body"))
	return w.margins(parts)
}

// mainPart returns the part of an Office file that its first relationship of a kind leads to.
func (a *archive) mainPart(kind string) (string, error) {
	all, err := a.targets("")
	for _, one := range all {
		if one.kind == kind && err == nil {
			return one.path, nil
		}
	}
	return "", cmp.Or(err, error(Broken))
}

// office returns the main part of an Office file, which usually has this name, and what it refers to. It reads the title
// in the file's properties.
func (a *archive) office(main string) (tree *element, parts map[string]target, err error) {
	if a.files[main] == nil { // another name is allowed
		if main, err = a.mainPart("officeDocument"); err != nil {
			return nil, nil, err
		}
	}
	if tree, err = a.tree(main); err != nil {
		return nil, nil, err
	}
	core, err := a.tree("docProps/core.xml")
	if err != nil {
		return nil, nil, err
	}
	a.title = core.child("title").content()
	parts, err = a.targets(main)
	return tree, parts, err
}

// readParts reads styles, lists and notes.
func (w *word) readParts(parts map[string]target) error {
	w.styles, w.numbering = map[string]wordStyle{}, &numbering{}
	for _, part := range parts {
		if !slices.Contains([]string{"styles", "numbering", "footnotes", "endnotes", "comments"}, part.kind) {
			continue
		}
		tree, err := w.tree(part.path)
		if err != nil {
			return err
		}
		switch part.kind {
		case "styles":
			w.readStyles(tree)
		case "numbering":
			w.numbering = numberingOf(tree)
		default:
			w.readNotes(strings.TrimSuffix(part.kind, "s"), tree)
		}
	}
	return nil
}

var headingName = regexp.MustCompile(`(?i)^heading ?([1-9])$`)

func (w *word) readStyles(tree *element) {
	for _, one := range tree.kids {
		if one.name != "style" {
			continue
		}
		properties := one.child("pPr")
		style := wordStyle{name: one.child("name").attr("val"), base: one.child("basedOn").attr("val")}
		style.list, style.indent = properties.child("numPr", "numId").attr("val"), properties.child("numPr", "ilvl").attr("val")
		if level, err := strconv.Atoi(properties.child("outlineLvl").attr("val")); err == nil && level < 9 {
			style.outline = level + 1
		}
		if found := headingName.FindStringSubmatch(style.name); found != nil {
			style.outline, _ = strconv.Atoi(found[1])
		}
		w.styles[one.attr("styleId")] = style
	}
}

// style returns a style with what it takes over from those that it is based on, at most ten.
func (w *word) style(id string) (all wordStyle) {
	for range 10 {
		one, known := w.styles[id]
		if !known {
			if found := headingName.FindStringSubmatch(id); found != nil {
				all.outline, _ = strconv.Atoi(found[1])
			}
			break
		}
		all.name, all.outline = cmp.Or(all.name, one.name), cmp.Or(all.outline, one.outline)
		all.list, all.indent = cmp.Or(all.list, one.list), cmp.Or(all.indent, one.indent)
		id = one.base
	}
	return all
}

func (w *word) readNotes(kind string, tree *element) {
	for _, one := range tree.kids {
		if one.name == kind && !strings.Contains(strings.ToLower(one.attr("type")), "separator") {
			var lines []string
			one.all("p", func(p *element) { lines = append(lines, w.said(p)) })
			w.notes[kind+one.attr("id")] = spaced(strings.Join(lines, " "))
		}
	}
}

// blocks reads the paragraphs and tables of a body, a cell or a note.
func (w *word) blocks(body *element) {
	for _, one := range body.kids {
		switch one.name {
		case "p":
			w.paragraph(one)
		case "tbl":
			w.table(one)
		case "sdt":
			w.blocks(one.child("sdtContent"))
		case "ins", "moveTo", "customXml", "smartTag":
			w.blocks(one)
		}
	}
}

func (w *word) paragraph(p *element) {
	properties := p.child("pPr")
	style := w.style(properties.child("pStyle").attr("val"))
	outline := style.outline
	if level, err := strconv.Atoi(properties.child("outlineLvl").attr("val")); err == nil && level < 9 {
		outline = level + 1
	}
	list := cmp.Or(properties.child("numPr", "numId").attr("val"), style.list)
	indent, _ := strconv.Atoi(cmp.Or(properties.child("numPr", "ilvl").attr("val"), style.indent))
	text := strings.TrimSpace(w.said(p))
	isList := list != "" && list != "0"
	if isList && text != "" {
		text = strings.TrimSpace(w.numbering.next(list, indent) + " " + text)
	}
	lower := strings.ToLower(style.name)
	switch {
	case lower == "title":
		w.block(Heading, 1, spaced(text))
		w.title = cmp.Or(w.title, text)
	case outline > 0:
		w.block(Heading, outline, spaced(text))
	case isList || strings.HasPrefix(lower, "list bullet") || strings.HasPrefix(lower, "list number"):
		w.block(Item, indent+1, text)
	default:
		w.block(Paragraph, 0, text)
	}
	after := w.after
	w.after = nil
	for _, note := range after {
		w.block(Paragraph, 0, note)
	}
}

// said returns the text of a paragraph, and puts its notes and text boxes into after.
func (w *word) said(p *element) string {
	var text strings.Builder
	var walk func(*element)
	walk = func(e *element) {
		switch e.name {
		case "t":
			text.WriteString(e.content())
		case "tab", "ptab":
			text.WriteByte('\t')
		case "br", "cr":
			text.WriteByte('\n')
		case "noBreakHyphen":
			text.WriteByte('-')
		case "pPr", "rPr", "del", "moveFrom", "Fallback", "instrText", "delText":
		case "footnoteReference":
			w.note("Footnote", w.notes["footnote"+e.attr("id")])
		case "endnoteReference":
			w.note("Endnote", w.notes["endnote"+e.attr("id")])
		case "commentReference":
			w.note("Comment", w.notes["comment"+e.attr("id")])
		case "txbxContent":
			e.all("p", func(p *element) { w.after = append(w.after, w.said(p)) })
		default:
			for _, one := range e.kids {
				walk(one)
			}
		}
	}
	for _, one := range p.kids {
		walk(one)
	}
	return text.String()
}

func (w *word) note(what, text string) {
	if text != "" {
		w.after = append(w.after, fmt.Sprintf("%s: %s", what, text))
	}
}

// table reads a table. Tables in its cells are read as text.
func (w *word) table(tbl *element) {
	var g grid
	isSpanned, heads := false, 0
	tbl.all("tr", func(tr *element) {
		var row []string
		tr.all("tc", func(tc *element) {
			properties := tc.child("tcPr")
			var lines []string
			tc.all("p", func(p *element) { lines = append(lines, w.said(p)) })
			cell := strings.Join(lines, "\n")
			above := len(g.rows) - 1
			if merge := properties.child("vMerge"); properties.has("vMerge") && merge.attr("val") != "restart" && above >= 0 && len(row) < len(g.rows[above]) {
				cell = g.rows[above][len(row)]
			}
			span, _ := strconv.Atoi(properties.child("gridSpan").attr("val"))
			isSpanned = isSpanned || span > 1 && len(g.rows) == 0
			for range min(max(span, 1), maxColumns-len(row)) {
				row = append(row, cell)
				cell = covered
			}
		})
		if tr.child("trPr").has("tblHeader") && heads == len(g.rows) {
			heads++
		}
		g.rows = append(g.rows, row)
	})
	if g.findHeads(isSpanned); heads > 0 && heads < len(g.rows) {
		g.heads = heads
	}
	w.grid(g)
	after := w.after
	w.after = nil
	for _, note := range after {
		w.block(Paragraph, 0, note)
	}
}

// maxColumns is how many columns of a table are read.
const maxColumns = 1000

// margins reads headers and footers.
func (w *word) margins(parts map[string]target) error {
	var texts []string
	for _, kind := range []string{"header", "footer"} {
		for _, part := range parts {
			if part.kind != kind {
				continue
			}
			tree, err := w.tree(part.path)
			if err != nil {
				return err
			}
			tree.all("p", func(p *element) {
				if text := spaced(w.said(p)); text != "" && !slices.Contains(texts, text) {
					texts = append(texts, text)
				}
			})
		}
	}
	slices.Sort(texts)
	for _, text := range texts {
		w.block(Paragraph, 0, text)
	}
	return nil
}
