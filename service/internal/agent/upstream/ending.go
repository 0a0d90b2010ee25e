package upstream

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// Ending is what a finish reason means. The later ones are graver.
type Ending int

const (
	Unended  Ending = iota // no reason was sent
	Stopped                // the answer is whole
	Unknown                // the reason has a word that nobody knows
	Asks                   // the model waits for its calls
	CutShort               // the model reached a limit
	Refuses                // the model refuses; what it says is the answer
	Withheld               // a filter stopped the answer
	Fails                  // the provider failed, or somebody else stopped the answer
)

// words are the finish reasons of OpenAI, Azure, Anthropic, Gemini, Bedrock, Mistral, Cohere, Together,
// Zhipu, vLLM, llama.cpp and of gateways, in lower case and without what separates their parts.
var words = map[Ending]string{
	Stopped: `stop stopped stopword stopsequence stopsequencereached stoptoken stopstring eos eostoken eot eottoken eosfound endoftext endoftoken
		endturn endofturn end ended endofstream complete completed completion done finish finished success succeeded normal natural`,
	Asks: `toolcall toolcalls tooluse tooluses tool tools functioncall functioncalls function`,
	CutShort: `length maxtokens maxtoken maxlength maxnewtokens maxoutputtokens maxtokensreached maxcompletiontokens modellength tokenlimit
		limit lengthlimit contextlength contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded continuation errorlimit incomplete pauseturn`,
	Refuses: `refusal refused`,
	Withheld: `contentfilter contentfiltered contentpolicy contentpolicyviolation filter filtered safety recitation blocklist prohibitedcontent
		spii language jailbreak modelarmor
		sensitive moderation blocked guardrail guardrails guardrailintervened errortoxic imagesafety imageprohibitedcontent imagerecitation`,
	Fails: `error networkerror internalerror servererror failed failure timeout abort aborted cancel canceled cancelled usercancel
		malformedfunctioncall malformedtoolcall malformedresponse unexpectedtoolcall toomanytoolcalls missingthoughtsignature other noimage imageother
		insufficientsystemresource`,
}

var endings = func() map[string]Ending {
	all := map[string]Ending{}
	for meaning, list := range words {
		for word := range strings.FieldsSeq(list) {
			all[word] = meaning
		}
	}
	return all
}()

// EndingOf returns what a finish reason means; neither its case nor what separates its parts counts.
func EndingOf(reason string) Ending {
	word := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(reason))
	word = strings.TrimPrefix(word, "finishreason")
	if meaning, known := endings[word]; known {
		return meaning
	}
	if word == "" {
		return Unended
	}
	return Unknown
}

// Unfinished is the error of an answer that its finish reason makes a failure.
func Unfinished(reason string) *fault.Error {
	cause := fmt.Errorf("finish reason %q", Token(reason))
	because := func(why, message string) *fault.Error {
		return &fault.Error{Code: wire.CodeProviderFailed, Reason: why, Message: message, Cause: cause}
	}
	switch EndingOf(reason) {
	case Withheld:
		return because(wire.ProviderFiltered, "The model's provider withheld the answer because of its content filter")
	case Refuses:
		return because(wire.ProviderFiltered, "The model refused to answer; ask in other words")
	case Fails:
		return broken.fault(cause)
	case Asks:
		return failed("The model asked for a tool, but named none that exists", cause)
	case CutShort:
		return because(wire.ProviderEmpty, "The model reached its limit before it said anything; ask for less, or begin a new chat")
	}
	return because(wire.ProviderEmpty, "The model ended its answer without a word; regenerate the answer")
}

// Blocked is the error of a prompt that the provider's filter stopped, for a reason that is the provider's word.
func Blocked(reason string) *fault.Error {
	return filtered.fault(fmt.Errorf("block reason %q", Token(reason)))
}

// UnknownReason is what the log says of a finish reason that is not known.
const UnknownReason = "the provider ended an answer with a word that is not known, which counts as its end"

// ErrUnended is why an answer without a finish reason failed.
var ErrUnended = errors.New("the stream ended without a finish reason")
