package read

import (
	"bytes"
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// odf reads a text, a table or a presentation of OpenDocument (ISO/IEC 26300). What was deleted under tracking is left
// out. Notes and comments follow their paragraph.
type odf struct {
	*archive
	after  []string
	slides int
	cells  int
	// isWorkbook says that tables are sheets.
	isWorkbook bool
}

func readODF(b *builder, data []byte) error {
	a, err := b.archive(data)
	if err != nil {
		return err
	}
	if list, err := a.file("META-INF/manifest.xml"); err != nil || bytes.Contains(list, []byte("encryption-data")) {
		return cmp.Or(err, error(Encrypted))
	}
	meta, err := a.tree("meta.xml")
	if err != nil {
		return err
	}
	b.title = meta.child("meta", "title").content()
	content, err := a.tree("content.xml")
	if err != nil {
		return err
	}
	o := &odf{archive: a}
	for _, kind := range []string{"text", "spreadsheet", "presentation", "drawing"} {
		if body := content.child("body", kind); len(body.kids) > 0 {
			o.isWorkbook = kind == "spreadsheet"
			return o.blocks(body, 0)
		}
	}
	return Empty
}

// blocks reads what stands in a text, a section, a slide or an item of a list at this depth.
func (o *odf) blocks(e *element, depth int) error {
	for _, one := range e.kids {
		if err := o.read(one, depth); err != nil {
			return err
		}
	}
	return nil
}

func (o *odf) read(one *element, depth int) error {
	switch one.name {
	case "tracked-changes", "forms", "sequence-decls":
	case "h":
		level, _ := strconv.Atoi(one.attr("outline-level"))
		o.say(Heading, min(max(level, 1), 9), spaced(o.said(one)))
	case "p":
		kind := Paragraph
		if depth > 0 {
			kind = Item
		}
		o.say(kind, depth, o.said(one))
	case "list":
		for _, item := range one.kids {
			if item.name == "list-item" || item.name == "list-header" {
				if err := o.blocks(item, depth+1); err != nil {
					return err
				}
			}
		}
	case "table":
		return o.table(one)
	case "page":
		return o.page(one)
	case "notes":
		one.all("p", func(p *element) {
			if text := spaced(o.said(p)); text != "" {
				o.say(Paragraph, 0, "Notes: "+text)
			}
		})
	case "annotation":
		o.note("Comment", one)
		o.say(Paragraph, 0, "")
	default: // sections, frames, text boxes, indexes
		return o.blocks(one, depth)
	}
	return nil
}

// say adds a block, and the notes that it has.
func (o *odf) say(kind BlockKind, level int, text string) {
	o.block(kind, level, text)
	after := o.after
	o.after = nil
	for _, note := range after {
		o.block(Paragraph, 0, note)
	}
}

// page reads a slide under a heading with its number.
func (o *odf) page(page *element) error {
	o.slides++
	title := ""
	for _, frame := range page.kids {
		if frame.attr("class") == "title" && title == "" {
			title = spaced(o.said(frame))
		}
	}
	o.block(Heading, 1, strings.TrimSuffix(fmt.Sprintf("Slide %d: %s", o.slides, title), ": "))
	for _, one := range page.kids {
		if one.attr("class") == "title" && spaced(o.said(one)) == title {
			o.after = nil
			continue
		}
		if err := o.read(one, 0); err != nil {
			return err
		}
	}
	return nil
}

// said returns the text of a paragraph, and puts its notes into after.
func (o *odf) said(p *element) string {
	var text strings.Builder
	var walk func(*element)
	walk = func(e *element) {
		switch e.name {
		case "":
			text.WriteString(strings.NewReplacer("\n", " ", "\r", "", "\t", " ").Replace(e.text))
		case "s":
			count, _ := strconv.Atoi(e.attr("c"))
			text.WriteString(strings.Repeat(" ", min(max(count, 1), 100)))
		case "tab":
			text.WriteByte('\t')
		case "line-break":
			text.WriteByte('\n')
		case "note":
			what := "Footnote"
			if e.attr("note-class") == "endnote" {
				what = "Endnote"
			}
			o.note(what, e.child("note-body"))
		case "annotation":
			o.note("Comment", e)
		case "deletion", "annotation-end":
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

func (o *odf) note(what string, e *element) {
	var lines []string
	e.all("p", func(p *element) { lines = append(lines, p.content()) })
	if text := spaced(strings.Join(lines, " ")); text != "" {
		o.after = append(o.after, what+": "+text)
	}
}

// table reads a table of a text, or a sheet. Rows and cells that are repeated to the edge of a sheet are empty.
func (o *odf) table(table *element) error {
	var rows [][]string
	heads := 0
	var walk func(e *element, isHead bool) error
	walk = func(e *element, isHead bool) error {
		for _, one := range e.kids {
			switch one.name {
			case "table-header-rows":
				if err := walk(one, true); err != nil {
					return err
				}
			case "table-rows", "table-row-group":
				if err := walk(one, isHead); err != nil {
					return err
				}
			case "table-row":
				row := o.row(one, rows)
				repeated, _ := strconv.Atoi(one.attr("number-rows-repeated"))
				if len(row) == 0 {
					repeated = 1 // one empty row ends a table as well as a million
				}
				for range max(repeated, 1) {
					if o.cells += len(row); o.cells > maxCells || len(rows) > maxCells {
						return TooMuchInside
					}
					rows = append(rows, row)
				}
				if isHead {
					heads = len(rows)
				}
			}
		}
		return nil
	}
	if err := walk(table, false); err != nil {
		return err
	}
	switch {
	case len(rows) == 0:
	case o.isWorkbook:
		o.block(Heading, 1, table.attr("name"))
		o.sheet(rows)
	default:
		g := grid{rows: rows}
		g.findHeads(len(rows) > 0 && hasCovered(rows[0]))
		if heads > 0 && heads < len(rows) {
			g.heads = heads
		}
		o.grid(g)
	}
	o.say(Paragraph, 0, "")
	return nil
}

func hasCovered(row []string) bool {
	for _, cell := range row {
		if cell == covered {
			return true
		}
	}
	return false
}

// row reads a row, without empty cells at its end.
func (o *odf) row(tr *element, before [][]string) (row []string) {
	full := 0
	isCovered := false
	for _, cell := range tr.kids {
		if cell.name != "table-cell" && cell.name != "covered-table-cell" {
			continue
		}
		text := ""
		switch {
		case cell.name == "covered-table-cell" && len(row) > 0 && isCovered:
			text = covered
		case cell.name == "covered-table-cell" && len(before) > 0 && len(row) < len(before[len(before)-1]):
			text = before[len(before)-1][len(row)]
		default:
			var lines []string
			for _, p := range cell.kids {
				if p.name == "annotation" {
					o.note("Comment", p)
				} else if p.name != "" {
					lines = append(lines, o.said(&element{kids: []*element{p}}))
				}
			}
			text = strings.Join(lines, "\n")
			span, _ := strconv.Atoi(cell.attr("number-columns-spanned"))
			isCovered = span > 1
		}
		repeated, _ := strconv.Atoi(cell.attr("number-columns-repeated"))
		for range min(max(repeated, 1), maxColumns-len(row)) {
			row = append(row, text)
		}
		if text != "" && text != covered {
			full = len(row)
		}
	}
	if full == 0 {
		return nil
	}
	for full < len(row) && row[full] == covered {
		full++
	}
	return row[:full]
}
