package importer

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file to import.
type File struct {
	// Path is its place within what is imported, with "/" between folders.
	Path string
	// Read gives its content when it is its turn.
	Read func() ([]byte, error)
}

// Folder lists the files of a folder and of those in it, without those whose
// name begins with a dot.
func Folder(folder string) (files []File, err error) {
	err = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		hidden := path != folder && strings.HasPrefix(entry.Name(), ".")
		switch {
		case err != nil:
			return err
		case hidden && entry.IsDir():
			return fs.SkipDir
		case hidden || !entry.Type().IsRegular():
			return nil
		}
		inside, err := filepath.Rel(folder, path)
		files = append(files, File{filepath.ToSlash(inside), func() ([]byte, error) { return os.ReadFile(path) }})
		return err
	})
	return files, err
}
