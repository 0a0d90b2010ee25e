package read

import (
	"bytes"
	"path"
	"strings"
)

// KindOf tells the kind without reading the file: of one that is broken it may
// give a kind all the same. The error is a Refusal, Empty, Broken or
// UnknownKind.
func KindOf(name string, data []byte) (Kind, error) {
	if len(data) == 0 {
		return "", Empty
	}
	return kindOf(name, data)
}

// kindOf tells the kind by the content first: a PDF is one whatever its name.
// Of text the name says what kind, and where it says nothing, the content.
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

// textual tells text from what else a file may hold: no NUL, which UTF-16 alone
// has, and few control characters.
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

// baseName is the name of a file without its folders, of Windows too.
func baseName(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// MaxName is what a file's name may have, in characters.
const MaxName = 255

// Name is a file's name as it is kept and shown: one line, without folders and
// without characters that can't be seen. It is data and never a path.
func Name(name string) string {
	name = spaced(visible(baseName(name)))
	if strings.Trim(name, ". ") == "" {
		return untitled
	}
	return name
}

const untitled = "Untitled"

// nameTitle makes a title of a file's name.
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
