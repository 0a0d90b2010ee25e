// Package eval compares the results of the embedded detector and of package canon with
// labelled sets, the project's own and public ones. Command memory-eval prints the
// figures. The tests of rules and canon read the same sets through it.
//
// A gap between the halves of a set shows what was learnt by heart. In the recall
// of detection it is 0.094, six messages of 64: the rules and the weights were made
// with the other half in view. In conflicts it
// is 0.061, three pairs of 49, of the same kind: all three are conflicts missed.
// In duplicates, public and our own, it is 0.167 and 0.094, nine pairs of 62 in
// all: if only one of two rewordings has a word, they are not duplicates, whether the
// word matters or not, because a dropped memory is lost. Every other gap
// is below 0.05.
package eval

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"path/filepath"
)

// Folder is the folder of package memory, from the root of the repository. Functions
// that read a set take it as an argument, because a test runs in its own folder.
const Folder = "service/internal/memory"

// Print writes the figures of every set.
func Print(to io.Writer, folder string) error {
	messages, err := Messages(folder)
	if err != nil {
		return err
	}
	return errors.Join(printDetection(to, messages), PrintTraining(to, folder, false), PrintTraining(to, folder, true),
		printExact(to, folder), printVoices(to, folder), printPairs(to, folder))
}

// read reads a file of JSON values, one a line.
func read[T any](folder, name string) ([]T, error) {
	path := filepath.Join(folder, name)
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	var all []T
	for decoder := json.NewDecoder(file); ; {
		var v T
		switch err := decoder.Decode(&v); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s, value %d: %w", path, len(all)+1, err)
		}
		all = append(all, v)
	}
}

// Seen reports whether the rules were written with this message of a set in view: if the
// FNV-1a hash (32 bits) of its id is even. Nobody read the texts of the other half. But it
// was counted often, also by type and confidence, and the counts decided which rules were
// worked on next, so its figures flatter a little. The development pairs had all been
// read once before.
func Seen(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()%2 == 0
}

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
