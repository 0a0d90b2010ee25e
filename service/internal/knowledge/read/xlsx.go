package read

import (
	"bytes"
	"errors"
	"strings"

	"github.com/xuri/excelize/v2"
)

// Limits of a workbook. A cell far to the right or below makes no sheet larger, since only rows and cells that are in
// the file count.
const (
	maxSheets = 200
	maxCells  = 2_000_000
)

// readXLSX reads each sheet under a heading with its name: values as people see them, and of formulas the values that
// the program has stored. Formulas are not computed, macros not run, and links to other files not followed.
func readXLSX(b *builder, data []byte) error {
	if _, err := b.archive(data); err != nil { // for its limits
		return err
	}
	options := excelize.Options{UnzipSizeLimit: b.unpacked, UnzipXMLSizeLimit: b.unpacked, ShortDatePattern: "dd/mm/yyyy"}
	file, err := excelize.OpenReader(bytes.NewReader(data), options)
	switch {
	case errors.Is(err, excelize.ErrWorkbookFileFormat), err != nil && strings.Contains(err.Error(), "zip"):
		return Broken
	case err != nil && strings.Contains(err.Error(), "size"):
		return TooMuchInside
	case err != nil:
		return Broken
	}
	defer func() { _ = file.Close() }()
	if properties, err := file.GetDocProps(); err == nil {
		b.title = properties.Title
	}
	names := file.GetSheetList()
	cells := 0
	for _, name := range names[:min(len(names), maxSheets)] {
		rows, err := sheetRows(file, name, &cells)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			continue
		}
		b.block(Heading, 1, name)
		b.sheet(rows)
		comments, _ := file.GetComments(name)
		for _, one := range comments {
			b.block(Paragraph, 0, "Comment on "+one.Cell+": "+spaced(commentText(one)))
		}
	}
	return nil
}

func commentText(one excelize.Comment) string {
	text := one.Text
	if text == "" {
		for _, run := range one.Paragraph {
			text += run.Text
		}
	}
	return strings.TrimPrefix(text, one.Author+":")
}

// sheetRows returns the rows of a sheet, with covered cells.
func sheetRows(file *excelize.File, sheet string, cells *int) ([][]string, error) {
	reading, err := file.Rows(sheet)
	if err != nil {
		return nil, nil // a chart, for example
	}
	defer func() { _ = reading.Close() }()
	var rows [][]string
	for reading.Next() {
		row, err := reading.Columns()
		if err != nil {
			return nil, Broken
		}
		if *cells += len(row); *cells > maxCells {
			return nil, TooMuchInside
		}
		rows = append(rows, row[:min(len(row), maxColumns)])
	}
	merged, err := file.GetMergeCells(sheet)
	if err != nil {
		return rows, nil
	}
	for _, one := range merged {
		rows = cover(rows, one)
	}
	return rows, nil
}

// cover marks the cells that a merged one covers: those on its right as covered, those below with its text.
func cover(rows [][]string, merged excelize.MergeCell) [][]string {
	left, top, err := excelize.CellNameToCoordinates(merged.GetStartAxis())
	right, bottom, wrong := excelize.CellNameToCoordinates(merged.GetEndAxis())
	if err != nil || wrong != nil || top > len(rows) || left > len(rows[top-1]) {
		return rows
	}
	text := rows[top-1][left-1]
	for y := top; y <= min(bottom, len(rows)); y++ {
		for x := left; x <= min(right, maxColumns); x++ {
			for len(rows[y-1]) < x {
				rows[y-1] = append(rows[y-1], "")
			}
			rows[y-1][x-1] = covered
			if x == left {
				rows[y-1][x-1] = text
			}
		}
	}
	return rows
}

// sheet reads the rows of a sheet: tables, each with the rows that name its columns, and lines of words between them. An
// empty row ends a table.
func (b *builder) sheet(rows [][]string) {
	var g grid
	flush := func() {
		if len(g.rows) > g.heads {
			b.grid(g)
		}
		g = grid{}
	}
	for i, row := range rows {
		full := 0
		for _, cell := range row {
			if cell != "" && cell != covered {
				full++
			}
		}
		switch {
		case full == 0:
			if i+1 < len(rows) && (len(g.rows) == 0 || isHead(rows[i+1])) {
				flush()
			}
		case full == 1 && (len(g.rows) == 0 || i+1 < len(rows) && isHead(rows[i+1])): // the title of a table
			flush()
			b.block(Paragraph, 0, firstCell(row))
		case len(g.rows) == 0 && isHead(row):
			g.rows, g.heads = append(g.rows, row), 1
			if i+1 < len(rows) && isSecondHead(row, rows[i+1]) {
				g.heads = 2
			}
		default:
			g.rows = append(g.rows, row)
		}
	}
	flush()
}

func firstCell(row []string) string {
	for _, cell := range row {
		if cell != "" && cell != covered {
			return cell
		}
	}
	return ""
}

// isSecondHead reports whether a row divides columns whose names stand over several.
func isSecondHead(first, second []string) bool {
	divides := false
	for i, cell := range second {
		if i < len(first) && first[i] == covered && cell != "" && cell != covered {
			divides = true
		}
	}
	return divides && isHead(second)
}
