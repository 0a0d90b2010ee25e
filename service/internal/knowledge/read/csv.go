package read

import (
	"encoding/csv"
	"errors"
	"io"
	"strings"
)

// readCSV reads a table whose cells commas, semicolons, tabs or bars separate. Its first row names the columns if it has
// words alone.
func readCSV(b *builder, data []byte) error {
	text, err := b.decoded(data)
	if err != nil {
		return err
	}
	reader := csv.NewReader(strings.NewReader(strings.ReplaceAll(text, "\r\n", "\n")))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord = separatorOf(text), true, -1
	var rows [][]string
	for count := 0; ; {
		row, err := reader.Read()
		if err == io.EOF {
			break
		}
		if errors.As(err, new(*csv.ParseError)) {
			b.parts(Code, text)
			return nil
		}
		if count += len(row); count > maxCells {
			return TooMuchInside
		}
		rows = append(rows, row[:min(len(row), maxColumns)])
	}
	b.sheet(rows)
	return nil
}

// separatorOf returns what separates the cells: the character that all of the first lines have most evenly.
func separatorOf(text string) rune {
	best, most := ',', 0
	for _, candidate := range ",;\t|" {
		least, lines := -1, 0
		quoted := false
		count := 0
		for _, r := range text[:min(len(text), 64<<10)] {
			switch {
			case r == '"':
				quoted = !quoted
			case r == candidate && !quoted:
				count++
			case r == '\n' && !quoted:
				if lines++; least < 0 || count < least {
					least = count
				}
				count = 0
			}
			if lines == 20 {
				break
			}
		}
		if lines == 0 {
			least = count
		}
		if least > most {
			best, most = candidate, least
		}
	}
	return best
}
