package rules_test

import (
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// longest is the length of the longest message that is examined.
const longest = 2000

// How long a message takes depends on its words. A hostile message must take time of the
// same order of magnitude as an ordinary one.
func BenchmarkDetect(b *testing.B) {
	for _, c := range []struct{ name, unit string }{
		{"ordinary", "I have been learning Rust for two years, and my wife is a nurse at the hospital in Leeds. What should I read next? I like books that explain why. "},
		{"one sentence", "I like tea and I have a cat and my wife is a nurse "},
		{"commas", "i, "}, {"quotes", " 'a \"b"}, {"backticks", "`a"}, {"labels", "a:\n"}, {"passwords", "password is "}, {"digits", "4 "}, {"capitals", "AA00 "},
	} {
		b.Run(c.name, func(b *testing.B) {
			text := strings.Repeat(c.unit, longest/len(c.unit)+1)[:longest]
			b.ReportAllocs()
			for b.Loop() {
				rules.Detect(text)
			}
		})
	}
}
