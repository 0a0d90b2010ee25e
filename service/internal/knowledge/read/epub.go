package read

import (
	"bytes"
	"net/url"
	"path"
)

// readEPUB reads the chapters of a book in their order.
func readEPUB(b *builder, data []byte) error {
	a, err := b.archive(data)
	if err != nil {
		return err
	}
	if locks, err := a.file("META-INF/encryption.xml"); err != nil || bytes.Contains(locks, []byte("html")) {
		return Encrypted // the files of fonts may be changed, those of chapters not
	}
	container, err := a.tree("META-INF/container.xml")
	if err != nil {
		return err
	}
	main := container.child("rootfiles", "rootfile").attr("full-path")
	book, err := a.tree(main)
	if err != nil {
		return err
	}
	b.title = book.child("metadata", "title").content()
	files := map[string]string{}
	for _, one := range book.child("manifest").kids {
		files[one.attr("id")] = one.attr("href")
	}
	seen := map[string]bool{}
	for _, one := range book.child("spine").kids {
		name, err := url.PathUnescape(files[one.attr("idref")])
		if name = path.Join(path.Dir(main), name); err != nil || one.name != "itemref" || seen[name] {
			continue
		}
		seen[name] = true
		chapter, err := a.file(name)
		if err != nil {
			return err
		}
		title := b.title
		if err := readHTML(b, chapter); err != nil {
			return err
		}
		b.title = title
	}
	return nil
}
