package importer

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// File is a file to import.
type File struct {
	// Path is the file's path within the imported folder, with "/" as the separator.
	Path string
	// Read returns the content when the file is due.
	Read func() ([]byte, error)
}

// Folder lists the files of a folder and its subfolders, except those whose name begins with a
// dot.
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
