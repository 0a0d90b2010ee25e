package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// What the agent says in the same words each time.
const (
	intro       = "No model is configured, so I can only work with what is said in this chat" + introEnd
	introEnd    = ": I can recall it, count it and quote it. Set OPENAI_BASE_URL and MODEL to connect one."
	offer       = "I can only recall, count and quote what is said in this chat."
	identity    = "I am the built-in agent of this service, not a model."
	invitation  = "Tell me something, or ask me about what was said in this chat."
	noWords     = "There are no words in that. " + invitation
	noModel     = "I can't do that without a model."
	notSaid     = "That was not said in this chat, and there is no model to ask."
	notEnglish  = "I follow simple English only."
	nothingYet  = "Nothing was said in this chat before this message."
	onlyQuoting = "I can't put it in other words without a model, but I can list it."
	closest     = "The closest thing you said"
)

// What it says where memories stand in the prompt.
const (
	introWithMemories = "No model is configured, so I can only work with what is said in this chat and what I remember of you" + introEnd
	offerWithMemories = "I can only recall, count and quote what is said in this chat and what I remember of you."
	closestMemory     = "The closest thing I remember: "
	asItStands        = "I remember: "
	allRemembered     = "I remember of you"
)

// reply is an answer before it is cut into pieces.
type reply struct {
	text   string
	quotes []quote
	// looked tells that the chat was looked through for it, lookup says so.
	looked bool
	lookup string
	// offer tells that the answer needs a word on what the agent can do.
	offer bool
	// greets tells that it answers a greeting.
	greets bool
	// unknown tells that the chat has no answer.
	unknown bool
	// near tells that what it quotes need not be what was asked for.
	near bool
	// remembered tells that it draws on memories.
	remembered bool
	// sources are the sentences of documents that it quotes; nil where none
	// were searched.
	sources []wire.Source
	// calls are the tools that it calls.
	calls []chat.ModelCall
}

// quote is a message, or a part of one, that an answer draws on.
type quote struct {
	MessageID string `json:"message_id"`
	Text      string `json:"text"`
}

func quotesObject(quotes []quote) wire.JSON {
	object, err := json.Marshal(map[string][]quote{"quotes": quotes})
	if err != nil { // texts alone cannot fail
		panic(fmt.Sprintf("embedded: quotes: %v", err))
	}
	return object
}

// quote adds what was said: after the introduction if it is one line, in a
// numbered list if there are more.
func (r *reply) quote(introduction string, said ...line) {
	if len(said) == 1 {
		r.text += introduction + ": " + closedQuote(said[0].text())
		r.quotes = append(r.quotes, said[0].quote())
		return
	}
	r.text += introduction + ":"
	for i, l := range said {
		r.text += fmt.Sprintf("\n%d. “%s”", i+1, shortened(l.text(), listedRunes))
		r.quotes = append(r.quotes, l.quote())
	}
}

func (l line) quote() quote { return quote{MessageID: l.message.id, Text: l.text()} }

// closedQuote quotes a text at the end of a sentence.
func closedQuote(text string) string {
	end, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "”\"»"))
	if strings.ContainsRune(".!?…。！？؟", end) {
		return "“" + text + "”"
	}
	return "“" + text + "”."
}

// How much of a text is shown where it is not the text that was asked for.
const (
	listedRunes = 160
	notedRunes  = 200
	begunRunes  = 80
)

// shortened is the text, or its first words and a sign that there is more.
func shortened(text string, runes int) string {
	if utf8.RuneCountInString(text) <= runes {
		return text
	}
	cut := text[:bytesOf(text, runes)]
	if i := strings.LastIndexAny(cut, " \t\n"); i > 0 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, " \t\r\n,;:") + "…"
}

// plural is "1 word", "2 words".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
