package read

import "strings"

// readPlain makes a paragraph of the lines between empty lines.
func readPlain(b *builder, data []byte) error {
	text, err := b.decoded(data)
	if err != nil {
		return err
	}
	b.parts(Paragraph, text)
	return nil
}

// parts makes a block of the lines between empty lines.
func (b *builder) parts(kind BlockKind, text string) {
	var lines []string
	for line := range strings.Lines(visible(text) + "\n\n") {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, line)
			continue
		}
		b.block(kind, 0, strings.Join(lines, ""))
		lines = lines[:0]
	}
}
