package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Texts that the agent always says in the same words.
const (
	intro = "No model is configured, so I can only work with what I was told: I can recall it, count it and quote it. " +
		"Set OPENAI_BASE_URL and MODEL to connect one."
	abilities  = " I can only recall, count and quote what I was told."
	identity   = "I am the built-in agent of this service, not a model." + abilities
	noModel    = "I can't do that without a model." + abilities
	invitation = "Tell me something, or ask me about what was said in this chat."
	noWords    = "There are no words in that. " + invitation
	notSaid    = "That was not said in this chat, and there is no model to ask."
	untold     = "You have not told me that in this chat."
	notEnglish = "I read English only."
)

// reply is an answer before it is cut into pieces.
type reply struct {
	text   string
	quotes []quote
	// greets says that it answers a greeting.
	greets bool
	// looked says that the agent looked through the chat, and lookup is the text that says so.
	looked bool
	lookup string
	// unknown says that neither the chat nor the memories hold an answer.
	unknown bool
	// sources are the sentences of documents that it quotes; nil if none
	// were searched.
	sources []wire.Source
	// slow says that it tells a story.
	slow bool
	// calls are the tools that it calls.
	calls []toolcall.ModelCall
}

// quote is a message, or a part of one, that an answer draws on.
type quote struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

func quotesObject(quotes []quote) wire.JSON {
	object, err := json.Marshal(map[string][]quote{"quotes": quotes})
	if err != nil { // strings can always be encoded
		panic(fmt.Sprintf("embedded: quotes: %v", err))
	}
	return object
}

// join adds the answer to a further question of the same message.
func (r *reply) join(next reply) {
	if r.text == "" {
		*r = next
		return
	}
	if !strings.Contains(r.text, next.text) {
		r.text += " " + next.text
	}
	r.quotes = append(r.quotes, next.quotes...)
	r.looked, r.unknown, r.slow = r.looked || next.looked, r.unknown && next.unknown, r.slow || next.slow
}

// closedQuote quotes a text at the end of a sentence.
func closedQuote(text string) string {
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "”\"»"))
	if strings.ContainsRune(".!?…。！？؟", end) {
		return "“" + text + "”"
	}
	return "“" + text + "”."
}

// How much is shown of a text that nobody asked for.
const (
	listedRunes = 160
	notedRunes  = 200
)

// shortened returns the text, or its first words and a sign that there is more.
func shortened(text string, runes int) string {
	cut := text[:bytesOf(text, runes)]
	if cut == text {
		return text
	}
	if i := strings.LastIndexAny(cut, " \t\n"); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " \t\r\n,;:") + "…"
}

// bytesOf is the length of the first runes of a text, or of all of it.
func bytesOf(text string, runes int) int {
	for i := range text {
		if runes == 0 {
			return i
		}
		runes--
	}
	return len(text)
}

// plural is "1 word", "2 words".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
