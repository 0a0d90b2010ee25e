package read

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readPPTX reads the slides in their order, each under a heading with its number and title, with its tables, its notes
// and its comments.
func readPPTX(b *builder, data []byte) error {
	a, err := b.archive(data)
	if err != nil {
		return err
	}
	presentation, parts, err := a.office("ppt/presentation.xml")
	if err != nil {
		return err
	}
	if strings.EqualFold(b.title, "PowerPoint Presentation") {
		b.title = ""
	}
	for i, one := range presentation.child("sldIdLst").kids {
		if id := relationshipOf(one); one.name == "sldId" && parts[id].path != "" {
			if err := a.slide(i+1, parts[id].path); err != nil {
				return err
			}
		}
	}
	return nil
}

// relationshipOf returns the attribute r:id, which is not the attribute id.
func relationshipOf(e *element) string {
	for _, one := range e.attrs {
		if one.Name.Local == "id" && strings.Contains(one.Name.Space, "relationships") {
			return one.Value
		}
	}
	return ""
}

// slide is a slide whose shapes are being read.
type slide struct {
	title string
	paras []slidePara
}

// slidePara is a paragraph, or a table if grid has rows.
type slidePara struct {
	text   string
	level  int
	isItem bool
	grid   grid
}

func (a *archive) slide(number int, part string) error {
	tree, err := a.tree(part)
	if err != nil {
		return err
	}
	s := &slide{}
	s.shapes(tree.child("cSld", "spTree"))
	if s.title == "" && len(s.paras) > 0 && len(s.paras[0].grid.rows) == 0 && len(s.paras[0].text) <= maxTitle {
		s.title, s.paras = s.paras[0].text, s.paras[1:]
	}
	a.block(Heading, 1, strings.TrimSuffix(fmt.Sprintf("Slide %d: %s", number, s.title), ": "))
	for _, p := range s.paras {
		switch {
		case len(p.grid.rows) > 0:
			a.grid(p.grid)
		case p.isItem:
			a.block(Item, p.level+1, p.text)
		default:
			a.block(Paragraph, 0, p.text)
		}
	}
	return a.besideSlide(part)
}

// besideSlide reads the notes and comments of a slide.
func (a *archive) besideSlide(part string) error {
	parts, err := a.targets(part)
	if err != nil {
		return err
	}
	for _, one := range sortedTargets(parts) {
		if one.kind != "notesSlide" && one.kind != "comments" {
			continue
		}
		tree, err := a.tree(one.path)
		if err != nil {
			return err
		}
		if one.kind == "comments" {
			tree.all("text", func(text *element) { a.block(Paragraph, 0, "Comment: "+spaced(text.content())) })
			continue
		}
		var notes slide
		notes.shapes(tree.child("cSld", "spTree"))
		for _, p := range notes.paras {
			a.block(Paragraph, 0, "Notes: "+p.text)
		}
	}
	return nil
}

func sortedTargets(parts map[string]target) []target {
	var all []target
	for _, one := range parts {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b target) int { return strings.Compare(a.path, b.path) })
	return all
}

// shapes reads the shapes of a tree, groups included.
func (s *slide) shapes(tree *element) {
	for _, one := range tree.kids {
		switch one.name {
		case "grpSp":
			s.shapes(one)
		case "AlternateContent":
			s.shapes(one.child("Choice"))
		case "sp":
			s.shape(one)
		case "graphicFrame":
			one.all("tbl", func(tbl *element) { s.paras = append(s.paras, slidePara{grid: slideGrid(tbl)}) })
		}
	}
}

func (s *slide) shape(sp *element) {
	holder := sp.child("nvSpPr", "nvPr", "ph")
	kind := holder.attr("type")
	if slices.Contains([]string{"sldNum", "dt", "ftr", "hdr", "sldImg"}, kind) {
		return
	}
	isBody := sp.child("nvSpPr", "nvPr").has("ph") && (kind == "" || kind == "body" || kind == "obj")
	for _, p := range sp.child("txBody").kids {
		text := strings.TrimSpace(slideText(p))
		if p.name != "p" || text == "" {
			continue
		}
		if (kind == "title" || kind == "ctrTitle") && s.title == "" {
			s.title = spaced(text)
			continue
		}
		properties := p.child("pPr")
		level, _ := strconv.Atoi(properties.attr("lvl"))
		isItem := properties.has("buChar") || properties.has("buAutoNum") || isBody && !properties.has("buNone")
		s.paras = append(s.paras, slidePara{text: text, level: min(max(level, 0), 8), isItem: isItem})
	}
}

func slideText(p *element) string {
	var text strings.Builder
	var walk func(*element)
	walk = func(e *element) {
		switch e.name {
		case "t":
			text.WriteString(e.content())
		case "br":
			text.WriteByte('\n')
		default:
			for _, one := range e.kids {
				walk(one)
			}
		}
	}
	walk(p)
	return text.String()
}

func slideGrid(tbl *element) (g grid) {
	isSpanned := false
	tbl.all("tr", func(tr *element) {
		var row []string
		for _, tc := range tr.kids {
			if tc.name != "tc" || len(row) >= maxColumns {
				continue
			}
			var lines []string
			tc.child("txBody").all("p", func(p *element) { lines = append(lines, slideText(p)) })
			cell := strings.Join(lines, "\n")
			if above := len(g.rows) - 1; isOn(tc.attr("vMerge")) && above >= 0 && len(row) < len(g.rows[above]) {
				cell = g.rows[above][len(row)]
			}
			if isOn(tc.attr("hMerge")) && len(row) > 0 {
				cell = covered
				isSpanned = isSpanned || len(g.rows) == 0
			}
			row = append(row, cell)
		}
		g.rows = append(g.rows, row)
	})
	g.findHeads(isSpanned)
	return g
}

func isOn(value string) bool { return value == "1" || value == "true" }
