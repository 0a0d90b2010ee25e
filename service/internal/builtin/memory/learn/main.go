// Command learn fits the weights with which package rules judges what messages say, and writes
// them to service/internal/builtin/memory/rules/weights.bin. It learns from the labelled messages of
// testdata except those that are held out, and from the project's own. It uses no random numbers:
// a second run on the same architecture writes the same bytes.
//
// With -try it writes nothing. It divides the messages into ten parts, fits weights to nine of
// them at a time, and prints how well these weights judge the tenth.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
)

func main() {
	folder := flag.String("folder", "service/internal/memory", "the folder of package memory")
	try := flag.Bool("try", false, "print figures of weights that were fitted to other messages; write nothing")
	flag.Parse()
	if err := run(*folder, *try); err != nil {
		fmt.Fprintln(os.Stderr, "learn:", err)
		os.Exit(1)
	}
}

func run(folder string, try bool) error {
	messages, err := read(folder)
	if err != nil {
		return err
	}
	if try {
		return crossValidate(os.Stdout, messages)
	}
	file := encode(fit(messages))
	fmt.Printf("%d messages, %d features, %d bytes\n", len(messages), len(file)/12, len(file))
	return os.WriteFile(filepath.Join(folder, "rules", "weights.bin"), file, 0o644)
}

// read returns the labelled messages from which to learn.
func read(folder string) ([]message, error) {
	var all []message
	add := func(m eval.Message, public bool) { all = append(all, newMessage(m, public)) }
	training, err := eval.Training(folder)
	if err != nil {
		return nil, err
	}
	for _, m := range training {
		if !eval.HeldOut(m.ID) {
			add(m, true)
		}
	}
	development, err := eval.Messages(folder)
	if err != nil {
		return nil, err
	}
	for _, m := range development {
		if eval.Seen(m.ID) {
			add(m, false)
		}
	}
	for _, set := range []func(string) ([]eval.Case, error){eval.OwnMessages, eval.Pasted} {
		cases, err := set(folder)
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			add(labelled(c), false)
		}
	}
	return all, nil
}

// labelled makes a labelled message of one with known findings.
func labelled(c eval.Case) eval.Message {
	m := eval.Message{ID: c.Text, Text: c.Text}
	for _, s := range c.Want.([]eval.Statement) {
		m.Memorable, m.Types = true, append(m.Types, s.Type)
	}
	return m
}
