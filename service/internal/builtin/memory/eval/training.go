package eval

import (
	"fmt"
	"hash/fnv"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// Training are more labelled messages of public data. Those that are not HeldOut are
// read, counted and learnt from (command learn).
func Training(folder string) ([]Message, error) {
	return read[Message](folder, "testdata/train.jsonl")
}

// HeldOut selects three in ten of the messages of Training, by the FNV-1a hash (32 bits) of
// their ids. Their texts are not read. Nothing is learnt from them or chosen by their figures.
// They were scored once, at the end.
func HeldOut(id string) bool {
	h := fnv.New32a()
	h.Write([]byte(id))
	return h.Sum32()%10 < 3
}

// ScoreTraining returns the figures of the held-out part, or of the other part, by source and,
// under the empty name, for all sources.
func ScoreTraining(all []Message, heldOut bool) map[string]*Figures {
	figures := map[string]*Figures{"": {}}
	for _, m := range all {
		if HeldOut(m.ID) != heldOut {
			continue
		}
		if figures[m.Source] == nil {
			figures[m.Source] = &Figures{}
		}
		found := rules.Detect(m.Text)
		figures[m.Source].Add(m, found)
		figures[""].Add(m, found)
	}
	return figures
}

// PrintTraining writes the figures of a part of Training, source by source.
func PrintTraining(to io.Writer, folder string, heldOut bool) error {
	all, err := Training(folder)
	if err != nil {
		return err
	}
	title := "more messages, learnt from"
	if heldOut {
		title = "more messages, held out"
	}
	figures := ScoreTraining(all, heldOut)
	if _, err := fmt.Fprintf(to, "\n"+detectionHead, title, "messages", "precision", "recall", "false alarms", "main type", "types"); err != nil {
		return err
	}
	var sources []string
	for source := range figures {
		if source != "" {
			sources = append(sources, source)
		}
	}
	slices.Sort(sources)
	for _, source := range append(sources, "") {
		name := source
		if source == "" {
			name = "all of them"
		}
		if err := printFigures(to, name, *figures[source]); err != nil {
			return err
		}
	}
	return nil
}
