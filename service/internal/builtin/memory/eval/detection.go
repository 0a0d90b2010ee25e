package eval

import (
	"cmp"
	"fmt"
	"io"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// Message is a labelled message: whether it holds something worth remembering, and of
// which types that may be.
type Message struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Memorable bool     `json:"memorable"`
	Types     []string `json:"types"`
	Source    string   `json:"source"` // the data set that it is from
}

// Messages are the labelled messages of public data.
func Messages(folder string) ([]Message, error) { return read[Message](folder, "testdata/dev.jsonl") }

// Figures count what a detector found in labelled messages. A message counts as found if
// the detector found anything in it.
type Figures struct {
	Memorable, Empty int // messages that hold something, and that hold nothing
	Found, False     int // of each, those with a finding
	// RightMain counts found memorable messages whose most confident finding
	// has one of the message's types.
	RightMain int
	// Findings counts the findings in found memorable messages, RightType those
	// whose type is one of the message's.
	Findings, RightType int
}

// Precision is the share of memorable messages among those with a finding.
func (f Figures) Precision() float64 { return share(f.Found, f.Found+f.False) }

// Recall is the share of memorable messages that have a finding.
func (f Figures) Recall() float64 { return share(f.Found, f.Memorable) }

// FalseAlarms is the share of messages that hold nothing and have a finding.
func (f Figures) FalseAlarms() float64 { return share(f.False, f.Empty) }

// MainTypes is the share of RightMain among the found memorable messages.
func (f Figures) MainTypes() float64 { return share(f.RightMain, f.Found) }

// Types is the share of findings of a right type, in memorable messages.
func (f Figures) Types() float64 { return share(f.RightType, f.Findings) }

// Add scores one message.
func (f *Figures) Add(m Message, findings []rules.Finding) {
	if !m.Memorable {
		f.Empty++
		if len(findings) > 0 {
			f.False++
		}
		return
	}
	f.Memorable++
	if len(findings) == 0 {
		return
	}
	f.Found++
	main := slices.MaxFunc(findings, func(a, b rules.Finding) int { return cmp.Compare(a.Confidence, b.Confidence) })
	if slices.Contains(m.Types, main.Type) {
		f.RightMain++
	}
	for _, finding := range findings {
		f.Findings++
		if slices.Contains(m.Types, finding.Type) {
			f.RightType++
		}
	}
}

// ScoreMessages runs the detector over messages. It returns the figures of the half that the
// rules and weights were made with, of the other half, and of all.
func ScoreMessages(all []Message) (seen, unseen, whole Figures) {
	for _, m := range all {
		findings := rules.Detect(m.Text)
		whole.Add(m, findings)
		if Seen(m.ID) {
			seen.Add(m, findings)
		} else {
			unseen.Add(m, findings)
		}
	}
	return seen, unseen, whole
}

const (
	detectionHead = "%-29s %9s %9s %7s %13s %10s %9s\n"
	detectionRow  = "%-29s %9d %9.3f %7.3f %7.3f %2d/%-3d %9.3f %9.3f\n"
)

func printFigures(to io.Writer, name string, f Figures) error {
	_, err := fmt.Fprintf(to, detectionRow, name, f.Memorable+f.Empty, f.Precision(), f.Recall(), f.FalseAlarms(), f.False, f.Empty, f.MainTypes(), f.Types())
	return err
}

// printDetection writes the figures of both halves, and of all.
func printDetection(to io.Writer, all []Message) error {
	seen, unseen, whole := ScoreMessages(all)
	if _, err := fmt.Fprintf(to, detectionHead, "detection", "messages", "precision", "recall", "false alarms", "main type", "types"); err != nil {
		return err
	}
	for _, row := range []struct {
		name string
		Figures
	}{{"half that was learnt from", seen}, {"half that was not", unseen}, {"all", whole}} {
		if err := printFigures(to, row.name, row.Figures); err != nil {
			return err
		}
	}
	return nil
}
