package read

import (
	"bytes"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
)

// markdown follows CommonMark with GitHub's tables and strikethrough. It keeps HTML in the text,
// which readHTML reads like any other.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.Table, extension.Strikethrough),
	goldmark.WithRendererOptions(html.WithUnsafe()),
)

func readMarkdown(b *builder, data []byte) error {
	text, err := b.decoded(data)
	if err != nil {
		return err
	}
	text, b.title = frontMatter(visible(text))
	var page bytes.Buffer
	if err := markdown.Convert([]byte(text), &page); err != nil {
		return Broken
	}
	return readHTML(b, page.Bytes())
}

// frontMatter removes the lines between two "---" at the beginning, and returns their title.
func frontMatter(text string) (rest, title string) {
	inside, found := strings.CutPrefix(text, "---\n")
	if !found {
		return text, ""
	}
	inside, rest, found = strings.Cut(inside, "\n---\n")
	if !found {
		return text, ""
	}
	for line := range strings.Lines(inside) {
		if value, ok := strings.CutPrefix(line, "title:"); ok {
			title = strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return rest, title
}
