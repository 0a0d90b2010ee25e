package memory

import (
	"context"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

// Detector finds what a message, with its secrets hidden, says about its writer. types are the
// wanted types, at least one; findings of other types are ignored. An error is a failure that may
// be temporary; it contains nothing of the message. Several messages may be examined at the same
// time.
type Detector interface {
	Detect(ctx context.Context, message string, types []string) ([]Finding, error)
}

// Finding is a short statement in the third person about the writer.
type Finding struct {
	// Type is wire.MemoryPreference, wire.MemoryFact or wire.MemoryContext.
	Type    string
	Content string
	// Confidence is from 0 to 1.
	Confidence float64
	// Start and End delimit the writer's own words in the message, as UTF-16 offsets.
	Start, End int
	// Model reports whether a model worded the statement. If so, the statement must be compared
	// with the words that it comes from.
	Model bool
}

// Embedded is the Detector that needs no model: package rules.
type Embedded struct{}

// Detect implements Detector. It never fails.
func (Embedded) Detect(_ context.Context, message string, _ []string) ([]Finding, error) {
	var findings []Finding
	for _, f := range rules.Detect(message) {
		findings = append(findings, Finding{Type: f.Type, Content: f.Content, Confidence: f.Confidence, Start: f.Start, End: f.End})
	}
	return findings, nil
}

// The length of messages that are examined, in code points, without white space around them.
const (
	minExamined = 10
	maxExamined = 2000
)

// Examines reports whether a message has a length that is examined, and whether the agent's memory
// is on by default.
func (s *Service) Examines(agentID, message string) (examines, enabled bool) {
	length := utf8.RuneCountInString(strings.TrimSpace(message))
	return length >= minExamined && length <= maxExamined, s.rules(agentID, wire.MemorySettings{}).Enabled
}

// Redact hides the secrets of a text: each UTF-16 unit of a secret becomes a bullet.
func Redact(text string) string { return rules.Redact(text) }

// maxContent is the largest length of a memory, in code points.
const maxContent = 300

// prepare turns findings in a job's message into input for a Machine. It leaves out findings that
// are impossible or hold a secret. dropped is how many it left out because the message does not
// support them, or because there were too many.
func (s *Service) prepare(job Job, findings []Finding) (all []Detected, dropped int) {
	message := utf16.Encode([]rune(job.Text))
	redactedText := rules.Redact(job.Text)
	redacted := utf16.Encode([]rune(redactedText))
	secrets, read := hidden(message, redacted), rules.Read(job.Text)
	dropped = max(0, len(findings)-maxFindings)
	for _, f := range findings[:len(findings)-dropped] {
		legible := utf8.ValidString(f.Content)
		f.Content = oneLine(f.Content)
		if !legible || !valid(f, message) || holdsSecret(f, secrets, message, redacted) {
			continue
		}
		borne := support(f, message)
		if borne == canon.Unsupported {
			dropped++
			continue
		}
		one := s.config.HashKey.Read(job.Owner, wire.Memory{
			ID: newID(), AgentID: job.AgentID, UserID: job.UserID,
			MemoryContent: f.Content, MemoryType: f.Type, ConfidenceScore: f.Confidence,
			SourceMessageID: job.MessageID, TriggeringMessage: redactedText, Span: &wire.Span{Start: f.Start, End: f.End},
		})
		one.Waits = read.Doubt(f.Content, f.Start, f.End)
		if one.Waits == "" && borne == canon.Partial {
			one.Waits = wire.WaitsReview
		}
		all = append(all, one)
	}
	return all, dropped
}

func valid(f Finding, message []uint16) bool {
	cuts := func(at int) bool { return at < len(message) && message[at]&0xfc00 == 0xdc00 } // inside a code point
	return slices.Contains(allTypes(), f.Type) &&
		f.Confidence >= 0 && f.Confidence <= 1 && !math.IsNaN(f.Confidence) &&
		f.Content != "" && utf8.RuneCountInString(f.Content) <= maxContent &&
		f.Start >= 0 && f.Start < f.End && f.End <= len(message) && !cuts(f.Start) && !cuts(f.End)
}

// hidden returns the text that was replaced in the redacted message, in the form of [bare].
func hidden(message, redacted []uint16) (secrets []string) {
	for start := 0; start < len(message); start++ {
		end := start
		for end < len(message) && message[end] != redacted[end] {
			end++
		}
		if end > start {
			secrets = append(secrets, bare(string(utf16.Decode(message[start:end]))))
			start = end
		}
	}
	return secrets
}

// holdsSecret reports whether the statement, or the words that it comes from, hold a secret, even
// in words other than the message's.
func holdsSecret(f Finding, secrets []string, message, redacted []uint16) bool {
	content := bare(f.Content)
	return !slices.Equal(message[f.Start:f.End], redacted[f.Start:f.End]) ||
		rules.Redact(f.Content) != f.Content ||
		slices.ContainsFunc(secrets, func(secret string) bool { return secret != "" && strings.Contains(content, secret) })
}

// bare reduces a text to its letters and digits in lower case, because a model may write a secret
// with other spaces and dashes.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// oneLine puts a text on one line: white space and control characters become single spaces, and
// characters that change the direction of text or are invisible are removed.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(strings.Map(visible, text), unicode.IsSpace), " ")
}

func visible(r rune) rune {
	switch {
	case unicode.IsControl(r), r == '\u2028', r == '\u2029':
		return ' '
	case unicode.Is(unicode.Bidi_Control, r), r >= 0xe0000 && r <= 0xe007f, r == '\ufeff':
		return -1
	}
	return r
}
