package rules_test

import (
	"strings"
	"testing"

	"github.com/chatsdk/chatsdk/service/internal/memory/rules"
)

const ordinaryText = "I have been learning Rust for two years, and my wife is a nurse at the hospital in Leeds. What should I read next? I like books that explain why. "

func BenchmarkDetect(b *testing.B) {
	text := strings.Repeat(ordinaryText, 2000/len(ordinaryText)+1)[:2000]
	b.ReportAllocs()
	for b.Loop() {
		rules.Detect(text)
	}
}

func BenchmarkRedact(b *testing.B) {
	text := strings.Repeat(ordinaryText, 2000/len(ordinaryText)+1)[:2000]
	for b.Loop() {
		rules.Redact(text)
	}
}
