package main

import (
	"fmt"
	"io"

	"github.com/chatsdk/chatsdk/service/internal/memory/form"
)

// Pair is two statements of which is known whether they are the same memory.
type Pair struct {
	ID        string `json:"id"`
	A         string `json:"a"`
	B         string `json:"b"`
	Duplicate bool   `json:"duplicate"`
}

// DuplicatesTable writes how often the duplicate check agrees with the label:
// accuracy is that share of all pairs.
func DuplicatesTable(to io.Writer, pairs []Pair) error {
	if _, err := fmt.Fprintf(to, "\n%-24s %9s %9s %13s %13s\n", "duplicates", "pairs", "accuracy", "missed", "wrongly same"); err != nil {
		return err
	}
	for _, half := range []struct {
		name string
		of   func(id string) bool
	}{{"even half", Seen}, {"odd half", func(id string) bool { return !Seen(id) }}, {"all", func(string) bool { return true }}} {
		all, missed, wrong := 0, 0, 0
		for _, p := range pairs {
			if !half.of(p.ID) {
				continue
			}
			all++
			switch same := form.Duplicate(p.A, p.B); {
			case p.Duplicate && !same:
				missed++
			case same && !p.Duplicate:
				wrong++
			}
		}
		if _, err := fmt.Fprintf(to, "%-24s %9d %9.3f %13d %13d\n", half.name, all, share(all-missed-wrong, all), missed, wrong); err != nil {
			return err
		}
	}
	return nil
}
