package openai

import (
	"errors"
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// ending is what a finish reason means. The later ones are graver.
type ending int

const (
	unended  ending = iota // no reason was sent
	stopped                // the answer is whole
	unknown                // the reason has a word that nobody knows
	asks                   // the model waits for its calls
	cutShort               // the model reached a limit
	refuses                // the model refuses; what it says is the answer
	withheld               // a filter stopped the answer
	fails                  // the provider failed, or somebody else stopped the answer
)

// words are the finish reasons of OpenAI, Azure, Anthropic, Gemini, Bedrock, Mistral, Cohere, Together,
// Zhipu, vLLM, llama.cpp and of gateways, in lower case and without what separates their parts.
var words = map[ending]string{
	stopped: `stop stopped stopword stopsequence stopsequencereached stoptoken stopstring eos eostoken eot eottoken eosfound endoftext endoftoken
		endturn endofturn end ended endofstream complete completed completion done finish finished success succeeded normal natural`,
	asks: `toolcall toolcalls tooluse tooluses tool tools functioncall functioncalls function`,
	cutShort: `length maxtokens maxtoken maxlength maxnewtokens maxoutputtokens maxtokensreached maxcompletiontokens modellength tokenlimit
		limit lengthlimit contextlength contextlengthexceeded contextwindowexceeded modelcontextwindowexceeded errorlimit incomplete pauseturn`,
	refuses: `refusal refused`,
	withheld: `contentfilter contentfiltered contentpolicy contentpolicyviolation filter filtered safety recitation blocklist prohibitedcontent
		spii sensitive moderation blocked guardrail guardrails guardrailintervened errortoxic imagesafety imageprohibitedcontent imagerecitation`,
	fails: `error networkerror internalerror servererror failed failure timeout abort aborted cancel canceled cancelled usercancel
		malformedfunctioncall malformedtoolcall malformedresponse unexpectedtoolcall toomanytoolcalls missingthoughtsignature insufficientsystemresource`,
}

var endings = func() map[string]ending {
	all := map[string]ending{}
	for meaning, list := range words {
		for word := range strings.FieldsSeq(list) {
			all[word] = meaning
		}
	}
	return all
}()

// endingOf returns what a finish reason means; neither its case nor what separates its parts counts.
func endingOf(reason string) ending {
	word := strings.NewReplacer("_", "", "-", "", " ", "", ".", "").Replace(strings.ToLower(reason))
	word = strings.TrimPrefix(word, "finishreason")
	if meaning, known := endings[word]; known {
		return meaning
	}
	if word == "" {
		return unended
	}
	return unknown
}

// unfinished is the error of an answer that its finish reason makes a failure.
func unfinished(reason string) *fault.Error {
	cause := fmt.Errorf("finish reason %q", token(reason))
	switch endingOf(reason) {
	case withheld:
		return failed("The model's provider withheld the answer because of its content filter", cause)
	case refuses:
		return failed("The model refused to answer; ask in other words", cause)
	case fails:
		return broken.fault(cause)
	case asks:
		return failed("The model asked for a tool, but named none that exists", cause)
	case cutShort:
		return failed("The model reached its limit before it said anything; ask for less, or begin a new chat", cause)
	}
	return failed("The model ended its answer without a word; regenerate the answer", cause)
}

// unknownReason is what the log says of a finish reason that is not known.
const unknownReason = "the provider ended an answer with a word that is not known, which counts as its end"

// errUnended is why an answer without a finish reason failed.
var errUnended = errors.New("the stream ended without a finish reason")
