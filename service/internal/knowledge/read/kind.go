package read

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"path"
	"slices"
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
	extension := strings.ToLower(path.Ext(baseName(name)))
	switch {
	case bytes.Contains(head, []byte("%pdf-")):
		return PDF, nil
	case bytes.HasPrefix(data, []byte("PK\x03\x04")):
		kind, err := kindOfArchive(data)
		if err == Broken && !slices.Contains(packed, extension) {
			err = UnknownKind
		}
		return kind, err
	case bytes.HasPrefix(data, []byte(compound)):
		return kindOfCompound(data)
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte(`{\rtf`)):
		return RTF, nil
	case slices.Contains(packed, extension):
		return "", Broken
	case !textual(data):
		return "", UnknownKind
	}
	if kind := extensions[extension]; kind != "" {
		return kind, nil
	}
	if looksHTML(bytes.TrimSpace(bytes.TrimPrefix(head, []byte(utf8BOM)))) {
		return HTML, nil
	}
	return Plain, nil
}

// packed are the extensions of kinds that are no text.
var packed = []string{".pdf", ".docx", ".docm", ".xlsx", ".xlsm", ".pptx", ".pptm", ".odt", ".ods", ".odp", ".epub", ".rtf"}

// extensions are the kinds of texts by the ends of their names.
var extensions = func() map[string]Kind {
	all := map[string]Kind{}
	for kind, list := range map[Kind]string{
		Markdown: ".md .markdown .mdown .mkd .mdx", HTML: ".html .htm .xhtml", CSV: ".csv .tsv .tab", Mail: ".eml", JSON: ".json .geojson .ipynb",
		Source: `.yaml .yml .xml .toml .ini .cfg .conf .properties .env .jsonl .ndjson .sql .go .py .js .mjs .cjs .ts .tsx .jsx .vue .svelte .java .kt .kts
			.scala .groovy .c .h .cc .cpp .hpp .cs .fs .rb .php .pl .lua .rs .swift .m .mm .r .jl .dart .ex .exs .erl .hs .clj .sh .bash .zsh .ps1 .bat .cmd
			.css .scss .less .graphql .proto .tf .gradle .cmake .mk .dockerfile .tex .diff .patch`,
	} {
		for extension := range strings.FieldsSeq(list) {
			all[extension] = kind
		}
	}
	return all
}()

// kindOfArchive tells the kinds that are zip files apart by the files in them.
func kindOfArchive(data []byte) (Kind, error) {
	reader, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return "", Broken
	}
	for _, file := range reader.File[:min(len(reader.File), maxEntries)] {
		switch {
		case file.Name == "mimetype":
			if kind := kindOfMedia(file); kind != "" {
				return kind, nil
			}
		case strings.HasPrefix(file.Name, "word/"):
			return DOCX, nil
		case strings.HasPrefix(file.Name, "xl/"):
			return XLSX, nil
		case strings.HasPrefix(file.Name, "ppt/"):
			return PPTX, nil
		}
	}
	return "", UnknownKind
}

// kindOfMedia reads the media type that OpenDocument and EPUB have in a file of its own.
func kindOfMedia(file *zip.File) Kind {
	from, err := file.Open()
	if err != nil {
		return ""
	}
	defer func() { _ = from.Close() }()
	media, _ := io.ReadAll(io.LimitReader(from, 200))
	for part, kind := range map[string]Kind{"opendocument.text": ODT, "opendocument.spreadsheet": ODS, "opendocument.presentation": ODP, "epub+zip": EPUB} {
		if strings.Contains(string(media), part) {
			return kind
		}
	}
	return ""
}

// compound is how the old files of Office begin, and the new ones that have a password.
const compound = "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

func kindOfCompound(data []byte) (Kind, error) {
	if bytes.Contains(data, []byte("E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e")) {
		return "", Encrypted
	}
	return "", UnknownKind
}

func looksHTML(head []byte) bool {
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if bytes.HasPrefix(head, []byte(start)) {
			return true
		}
	}
	return false
}

// textual reports whether a file is text: it has few control characters, and NUL only in UTF-16. A few are in logs and in
// pages of manuals.
func textual(data []byte) bool {
	if name, _ := encodingOf(data[:min(len(data), 4<<10)&^1]); strings.HasPrefix(name, "UTF-16") {
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
	return control <= max(8, len(data)/100) && control*4 < len(data)
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
