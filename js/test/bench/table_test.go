package bench_test

import (
	"fmt"
	"slices"
	"strings"
)

// sample is what was measured several times.
type sample []float64

func (s sample) median() float64 {
	sorted := slices.Sorted(slices.Values(s))
	if len(sorted) == 0 {
		return 0
	}
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// String is the median with the minimum and the maximum.
func (s sample) String() string {
	if len(s) < 2 {
		return number(s.median())
	}
	return fmt.Sprintf("%s (%s–%s)", number(s.median()), number(slices.Min(s)), number(slices.Max(s)))
}

// number has three digits.
func number(f float64) string {
	switch {
	case f >= 100:
		return fmt.Sprintf("%.0f", f)
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

// ratio is the ratio of the medians.
func ratio(ours, theirs sample) string {
	if theirs.median() == 0 {
		return "–"
	}
	return fmt.Sprintf("%.2f", ours.median()/theirs.median())
}

// task is the length of a longest task, in ms; browsers report none under 50.
func (s sample) task() string {
	if slices.Max(s) == 0 {
		return "under 50"
	}
	return strings.ReplaceAll(s.String(), "0.00", "under 50")
}

// table adds a table to the report; all columns but the first are numbers.
func (b *bench) table(title string, head []string, rows [][]string) {
	fmt.Fprintf(&b.report, "#### %s\n\n| %s |\n| --- |%s\n", title, strings.Join(head, " | "), strings.Repeat(" ---: |", len(head)-1))
	for _, row := range rows {
		fmt.Fprintf(&b.report, "| %s |\n", strings.Join(row, " | "))
	}
	b.report.WriteString("\n")
}
