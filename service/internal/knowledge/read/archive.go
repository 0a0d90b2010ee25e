package read

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"strings"

	"golang.org/x/net/html/charset"
)

// archive is the zip file that office documents and books are. What is read of it counts against the builder's limit of
// unpacked bytes. Nothing is written, so that names of files may say what they like.
type archive struct {
	*builder
	files map[string]*zip.File
}

// maxEntries is how many files an archive may have.
const maxEntries = 20_000

func (b *builder) archive(data []byte) (*archive, error) {
	reader, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return nil, Broken
	}
	if len(reader.File) > maxEntries {
		return nil, TooMuchInside
	}
	a := &archive{b, map[string]*zip.File{}}
	for _, file := range reader.File {
		if a.files[file.Name] == nil {
			a.files[file.Name] = file
		}
	}
	return a, nil
}

// file returns a file of the archive, nil if there is none.
func (a *archive) file(name string) ([]byte, error) {
	file := a.files[name]
	if file == nil {
		return nil, nil
	}
	if file.Flags&1 != 0 {
		return nil, Encrypted
	}
	from, err := file.Open()
	if err != nil {
		return nil, Broken
	}
	defer func() { _ = from.Close() }()
	content, err := io.ReadAll(io.LimitReader(from, a.unpacked+1))
	if a.unpacked -= int64(len(content)); a.unpacked < 0 {
		return nil, TooMuchInside
	}
	if err != nil {
		return nil, Broken
	}
	return content, nil
}

// tree returns an XML file of the archive, an empty element if there is none.
func (a *archive) tree(name string) (*element, error) {
	content, err := a.file(name)
	if err != nil || content == nil {
		return &element{}, err
	}
	return parseXML(content)
}

// targets returns what a part of an Office file refers to: the path and type of each relationship by its id. Links that
// lead out of the archive are left out.
func (a *archive) targets(part string) (map[string]target, error) {
	folder, base := path.Split(part)
	list, err := a.tree(folder + "_rels/" + base + ".rels")
	all := map[string]target{}
	for _, one := range list.kids {
		if one.attr("TargetMode") == "External" {
			continue
		}
		to := one.attr("Target")
		if !strings.HasPrefix(to, "/") {
			to = path.Join("/", folder, to)
		}
		all[one.attr("Id")] = target{strings.TrimPrefix(to, "/"), path.Base(one.attr("Type"))}
	}
	return all, err
}

// target is what a relationship leads to. kind is the last part of its type, for example "comments".
type target struct{ path, kind string }

// element is an XML element. Its children stand in order; a text between them is an element without a name.
type element struct {
	name  string // without its namespace
	text  string
	attrs []xml.Attr
	kids  []*element
}

// Limits of an XML file.
const (
	maxXMLDepth    = 256
	maxXMLElements = 2_000_000
)

// parseXML reads XML. Entities other than those of XML itself are not expanded, and nothing is loaded.
func parseXML(content []byte) (*element, error) {
	decoder := xml.NewDecoder(bytes.NewReader(content))
	decoder.CharsetReader = charset.NewReaderLabel
	open := []*element{{}}
	for count := 0; ; count++ {
		token, err := decoder.Token()
		switch {
		case err == io.EOF && len(open) == 1 && len(open[0].kids) > 0:
			for _, one := range open[0].kids {
				if one.name != "" {
					return one, nil
				}
			}
			return nil, Broken
		case err != nil:
			return nil, Broken
		case len(open) > maxXMLDepth || count > maxXMLElements:
			return nil, TooMuchInside
		}
		last := open[len(open)-1]
		switch token := token.(type) {
		case xml.StartElement:
			one := &element{name: token.Name.Local, attrs: token.Attr}
			last.kids = append(last.kids, one)
			open = append(open, one)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			last.kids = append(last.kids, &element{text: string(token)})
		}
	}
}

// attr returns an attribute, whatever its namespace.
func (e *element) attr(name string) string {
	for _, one := range e.attrs {
		if one.Name.Local == name {
			return one.Value
		}
	}
	return ""
}

// child follows a path of names, and returns an empty element where there is none.
func (e *element) child(names ...string) *element {
	for _, name := range names {
		next := &element{}
		for _, one := range e.kids {
			if one.name == name {
				next = one
				break
			}
		}
		e = next
	}
	return e
}

// has reports whether there is a child of this name.
func (e *element) has(name string) bool {
	for _, one := range e.kids {
		if one.name == name {
			return true
		}
	}
	return false
}

// all yields all descendants of a name that do not stand in another one of it.
func (e *element) all(name string, yield func(*element)) {
	for _, one := range e.kids {
		if one.name == name {
			yield(one)
		} else {
			one.all(name, yield)
		}
	}
}

// content returns all text.
func (e *element) content() string {
	var text strings.Builder
	var walk func(*element)
	walk = func(e *element) {
		text.WriteString(e.text)
		for _, one := range e.kids {
			walk(one)
		}
	}
	walk(e)
	return text.String()
}
