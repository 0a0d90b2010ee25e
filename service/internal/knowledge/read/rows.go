package read

import (
	"strings"
	"unicode"
)

// covered is a cell that the one on its left covers, too.
const covered = "\x00"

// grid is a table. A cell that one above covers has its text.
type grid struct {
	rows [][]string
	// heads is how many rows at the top name the columns.
	heads int
}

// cellGap stands between the cells of a row.
const cellGap = " · "

// grid adds a table as one block. Each row is a line in which every cell but the first has the name of its column
// before it, so that the row can be read alone.
func (b *builder) grid(g grid) {
	names := g.names()
	var lines []string
	if line := joinedCells(names); line != "" {
		lines = append(lines, line)
	}
	for _, row := range g.rows[g.heads:] {
		cells := make([]string, 0, len(row))
		for i, cell := range row {
			cell = spaced(cell)
			switch {
			case cell == "", cell == covered:
				continue
			case len(cells) > 0 && i < len(names) && names[i] != "":
				cell = names[i] + " " + cell
			}
			cells = append(cells, cell)
		}
		if len(cells) > 0 {
			lines = append(lines, strings.Join(cells, cellGap))
		}
	}
	b.block(Table, 0, strings.Join(lines, "\n"))
}

// names returns the names of the columns: the texts above each other in the heads, without repetition.
func (g grid) names() []string {
	var names []string
	for _, row := range g.rows[:g.heads] {
		above := ""
		for i, cell := range row {
			for len(names) <= i {
				names = append(names, "")
			}
			if cell != covered {
				above = cell
			}
			if cell = spaced(above); cell != "" && !strings.HasSuffix(names[i], cell) {
				names[i] = strings.TrimSpace(names[i] + " " + cell)
			}
		}
	}
	return names
}

func joinedCells(cells []string) string {
	var full []string
	for _, cell := range cells {
		if cell != "" {
			full = append(full, cell)
		}
	}
	return strings.Join(full, cellGap)
}

// findHeads sets how many rows name the columns: the first one if it has words alone and others follow, and the second
// if cells of the first stand over several columns.
func (g *grid) findHeads(isSpanned bool) {
	if len(g.rows) < 2 || !isHead(g.rows[0]) {
		return
	}
	g.heads = 1
	if isSpanned && len(g.rows) > 2 && isHead(g.rows[1]) {
		g.heads = 2
	}
}

// isHead reports whether a row may name columns: two or more cells have text, and none is a number or a date.
func isHead(row []string) bool {
	full := 0
	for _, cell := range row {
		cell = strings.TrimSpace(cell)
		switch {
		case cell == "", cell == covered:
		case isNumber(cell):
			return false
		default:
			full++
		}
	}
	return full > 1
}

// isNumber reports whether a cell has a number, an amount or a date: digits, and hardly any letter.
func isNumber(cell string) bool {
	digits, letters := 0, 0
	for _, r := range cell {
		switch {
		case unicode.IsDigit(r):
			digits++
		case unicode.IsLetter(r):
			letters++
		}
	}
	return digits > 0 && letters <= 3 && letters < digits || digits > 0 && letters == 0
}
