package answering

import (
	"context"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/english"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
)

var (
	// vague are words that ask for something, or for more, without naming a thing.
	vague = english.Set(`long far old big tall high wide deep large heavy fast late early soon often kind sort thing things way exactly really else
detail details example examples explain elaborate continue go on tell give show please come mean means meant`)
	// leads are beginnings of messages that continue the previous question.
	leads = english.Set("and but or so then also plus")
	// refers are words that refer to something named before.
	refers = english.Set("it its they them their theirs he him his she her hers this that these those")
	// courtesy are words of messages that ask for nothing.
	courtesy = english.Set("thanks thank cheers great perfect cool nice hello hi hey bye goodbye")
	// ours are words for the two who talk.
	ours = english.Set("i me my mine you your yours we us our ours")
	// elaborates are words that ask for more about what was said.
	elaborates = english.Set("more else explain elaborate continue detail details example examples mean meant")
)

// followUp reports whether a message asks about something that the message before it named, and how
// many words of its own it has that name a topic. "And how long?", "Why?" and "When was it
// built?" are follow-ups. A question that names two things, or one before its "it", is complete.
func followUp(message string) (is bool, own int) {
	words := english.Of(message)
	refersBack, named := false, false
	for i, word := range words {
		isLast := i == len(words)-1
		switch {
		case word.Plain == "there" && isLast:
			refersBack = refersBack || i > 0 && !english.Stop(words[i-1].Plain) // not in "How many are there?"
		case refers[word.Plain]:
			refersBack = refersBack || own < 2 && !named && (word.Plain != "that" || i < 3 || isLast)
		case !english.Stop(word.Plain) && !vague[word.Plain]:
			own++
			named = named || i > 0 && word.Capital()
		}
	}
	has := func(set map[string]bool) bool {
		return slices.ContainsFunc(words, func(w english.Word) bool { return set[w.Plain] })
	}
	switch {
	case len(words) == 0, has(courtesy) && !strings.Contains(message, "?"):
		return false, own
	case refersBack:
		return own <= 3, own
	case leads[words[0].Plain], aboutElse(words):
		return own <= 2, own
	}
	return own == 0 && (has(elaborates) || !has(ours)), own
}

// aboutElse reports whether a message is like "What about the shoes?".
func aboutElse(words []english.Word) bool {
	return len(words) > 1 && (words[0].Plain == "what" || words[0].Plain == "how") && words[1].Plain == "about"
}

const (
	// mostFollowed is how many questions back a follow-up may refer.
	mostFollowed = 4
	// shortAnswer is how many words of its own an answer may have so that it is part of the
	// search: "Rouen." says what "there" means in the next question.
	shortAnswer = 8
)

// query returns the text to search for: for a follow-up it includes what the question refers to.
// own reports whether the question's own words are worth a separate search.
func (w *Writer) query(ctx context.Context) (query string, own bool, err error) {
	text := w.Question.Content
	is, words := followUp(text)
	if !is || w.NoHistory {
		return text, false, nil
	}
	var earlier []PromptMessage
	err = w.Patiently(ctx, func() (err error) {
		earlier, err = w.Past.Recent(ctx, w.Agent.Tokens())
		return err
	})
	if err == nil && words > 0 && isAskedAgain(text, earlier) {
		return text, false, nil
	}
	return widened(text, earlier), words > 0, err
}

// isAskedAgain reports whether a message repeats the last question, as "What about the shoes?" of other documents. What
// was found for that one says nothing about what is asked for now.
func isAskedAgain(text string, earlier []PromptMessage) bool {
	for _, m := range slices.Backward(earlier) {
		if m.Role == wire.RoleUser {
			return slices.EqualFunc(english.Of(text), english.Of(m.Text), func(a, b english.Word) bool { return a.Plain == b.Plain })
		}
	}
	return false
}

// widened puts earlier questions before a follow-up, back to one that is complete, and the last
// answer if it is short.
func widened(text string, earlier []PromptMessage) string {
	parts := []string{text}
	if last := len(earlier) - 1; last >= 0 && earlier[last].Role == wire.RoleAssistant && len(contentOf(earlier[last].Text)) <= shortAnswer {
		parts = append(parts, earlier[last].Text)
	}
	followed := 0
	for _, m := range slices.Backward(earlier) {
		if m.Role != wire.RoleUser {
			continue
		}
		parts = append(parts, m.Text)
		followed++
		if is, _ := followUp(m.Text); !is || followed == mostFollowed {
			break
		}
	}
	slices.Reverse(parts)
	return strings.Join(parts, "\n")
}

// ownPassages is how many passages at least are kept that match a follow-up's own words, if there
// are so many.
const ownPassages = 3

// withOwn puts the passages that match the follow-up alone after those that match the widened
// query.
func withOwn(all, own []search.Hit) []search.Hit {
	own = slices.DeleteFunc(own, func(hit search.Hit) bool {
		return slices.ContainsFunc(all, func(h search.Hit) bool { return h.Key == hit.Key && h.Index == hit.Index })
	})
	return append(all[:min(len(all), maxPassages-len(own))], own...)
}
