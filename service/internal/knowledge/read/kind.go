package read

import (
	"bytes"
	"path"
	"strings"
)

// KindOf returns the kind without reading the whole file, so a broken file may have a kind too.
// The error is one of the Refusals Empty, Broken and UnknownKind.
func KindOf(name string, data []byte) (Kind, error) {
	if len(data) == 0 {
		return "", Empty
	}
	return kindOf(name, data)
}

// kindOf looks at the content first: a PDF is one whatever its name. For text the name decides,
// and if the name says nothing, the content.
func kindOf(name string, data []byte) (Kind, error) {
	head := bytes.ToLower(data[:min(len(data), 1024)])
	if bytes.Contains(head, []byte("%pdf-")) {
		return PDF, nil
	}
	extension := strings.ToLower(path.Ext(baseName(name)))
	if extension == ".pdf" {
		return "", Broken
	}
	if !textual(data) {
		return "", UnknownKind
	}
	switch extension {
	case ".md", ".markdown", ".mdown", ".mkd":
		return Markdown, nil
	case ".html", ".htm", ".xhtml":
		return HTML, nil
	}
	if looksHTML(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(utf8BOM)))) {
		return HTML, nil
	}
	return Plain, nil
}

func looksHTML(head []byte) bool {
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	return false
}

// textual reports whether a file is text: it has few control characters, and NUL only in UTF-16.
func textual(data []byte) bool {
	if bytes.HasPrefix(data, []byte(utf16LE)) || bytes.HasPrefix(data, []byte(utf16BE)) {
		return true
	}
	control := 0
	for _, b := range data {
		switch {
		case b == 0:
			return false
		case b < ' ' && b != '\n' && b != '\r' && b != '\t' && b != '\f' && b != 0x1b:
			control++
		}
	}
	return control <= len(data)/100
}

// baseName returns the name of a file without its folders, including those of Windows.
func baseName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// MaxName is how many characters a file's name may have.
const MaxName = 255

// Name returns a file's name as it is stored and shown: one line, without folders and invisible
// characters. It is data and never a path.
func Name(name string) string {
	name = spaced(visible(baseName(name)))
	if strings.Trim(name, ". ") == "" {
		return untitled
	}
	return name
}

const untitled = "Untitled"

// nameTitle makes a title from a file's name.
func nameTitle(name string) string {
	base := baseName(name)
	title := cleanTitle(strings.TrimSuffix(base, path.Ext(base)))
	if title == "" {
		title = cleanTitle(base)
	}
	if strings.Trim(title, ". ") == "" {
		return untitled
	}
	return title
}
