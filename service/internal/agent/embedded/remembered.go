package embedded

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// recollection are the memories of the prompt as if the user had just said them,
// so that the rules for what was said find what answers. The id of each message is its
// place among the memories. All of them hold, since each was approved.
func (t transcript) recollection() transcript {
	m := transcript{approved: true, last: message{role: t.last.role}}
	for i, memory := range t.memories {
		text, _ := ownVoice.says(memory)
		m.earlier = append(m.earlier, newMessage(chat.PromptMessage{ID: strconv.Itoa(i), Role: t.last.role, Text: text}))
	}
	m.facts, m.person = statedIn(m.earlier)
	m.facts = slices.DeleteFunc(m.facts, func(f fact) bool { // "User is diabetic" is no name
		return f.weak && slices.Equal(f.key, newKey(keyName))
	})
	return m
}

// remember answers from the memories of the prompt.
func (t transcript) remember(ask question) (reply, bool) {
	if len(t.memories) == 0 {
		return reply{}, false
	}
	m := t.recollection()
	r, ok := m.topic(ask)
	if !ok && (ask.personal() || !hasWord(ask.tokens, "you", "your")) {
		r, ok = m.recall(ask)
	}
	if !ok || len(r.quotes) == 0 || r.near && !ask.personal() {
		return reply{}, false
	}
	var found []string
	for _, q := range r.quotes {
		at, err := strconv.Atoi(q.MessageID)
		if err == nil && !slices.Contains(found, t.memories[at]) {
			found = append(found, t.memories[at])
		}
	}
	text := retold(found)
	switch {
	case r.near && len(found) > mostNear:
		return reply{}, false
	case r.near:
		text = closestMemory + text
	}
	return reply{text: text, looked: true, remembered: true}, true
}

// mostNear is how many memories may be the closest: more have the verb of the question alone.
const mostNear = 2

// retold tells memories: to the user where that is sure, else as they stand.
func retold(memories []string) string {
	var all []string
	for _, memory := range memories {
		text, sure := toldVoice.says(memory)
		if !sure {
			text = asItStands + closedQuote(memory)
		} else if !strings.HasSuffix(closedQuote(text), text+"”") {
			text += "."
		}
		all = append(all, text)
	}
	return strings.Join(all, " ")
}

var (
	ofTheUser   = phrases("about me, about myself, about us, of me")
	allOfMemory = phrases("what do you remember, what have you remembered, what else do you remember, do you remember me, do you know me")
)

// wantsAll tells "what do you know about me?".
func (t transcript) wantsAll(ask question) bool {
	if n := startsWith(ask.whole, allOfMemory); n > 0 && n == len(ask.whole) {
		return true
	}
	last := len(ask.tokens) - 2
	return last >= 0 && startsWith(ask.tokens[last:], ofTheUser) > 0 && hasWord(ask.whole, "you", "everything", "anything", "what") &&
		!slices.ContainsFunc(ask.tokens, func(t token) bool { return speechVerbs[t.stem] && t.stem != stemOf("tell") })
}

// rememberAll lists the memories of the prompt.
func (t transcript) rememberAll() reply {
	memories, introduction := t.memories, allRemembered
	if len(memories) > listed {
		introduction += fmt.Sprintf(" (the last %d of %d)", listed, len(memories))
		memories = memories[len(memories)-listed:]
	}
	r := reply{text: introduction + ":", looked: true, remembered: true}
	for i, memory := range memories {
		text, sure := toldVoice.says(memory)
		if !sure {
			text = "“" + memory + "”"
		}
		r.text += fmt.Sprintf("\n%d. %s", i+1, text)
	}
	return r
}
