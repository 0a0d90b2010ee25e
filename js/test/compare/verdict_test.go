package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test/fault"
)

func TestVerdicts(t *testing.T) {
	t.Parallel()
	const whole, part = "one two three four five six", "one two three "
	early, late := faultRow{way: fault.RST}, faultRow{way: fault.End, afterWords: 3}
	tests := []struct {
		name  string
		fault faultRow
		run   run
		want  string
	}{
		{"nothing went wrong", faultRow{}, run{Outcome: "success", Shown: whole, sends: 1}, "whole"},
		{"a second send", early, run{Outcome: "success", Shown: whole, sends: 2}, "sent again, no key"},
		{"a second send with its key", early, run{Outcome: "success", Shown: whole, sends: 2, keyed: true}, "sent again, same key"},
		{"no second send", early, run{Outcome: "error", Error: "TypeError", sends: 1}, "gives up (TypeError)"},
		{"a second send that failed", early, run{Outcome: "error", Error: "TypeError", sends: 2}, "TypeError after sending again"},
		{"another token", faultRow{refuse: 401}, run{Outcome: "success", Shown: whole, sends: 2, keyed: true}, "refreshed, sent again"},
		{"a resume", late, run{Outcome: "success", Shown: whole, sends: 1}, "resumed, whole"},
		{"a cut success", late, run{Outcome: "success", Shown: part, sends: 1}, "**“success”, cut**"},
		{"a doubled word", late, run{Outcome: "success", Shown: part + whole, sends: 1}, "**“success”, doubled**"},
		{"an error", late, run{Outcome: "error", Error: "TypeError", Shown: part, sends: 1}, "TypeError, part shown"},
		{"silence", late, run{Outcome: "hangs", Shown: part, sends: 1}, "**hangs**"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, test.want, test.run.verdict(test.fault))
		})
	}
}
