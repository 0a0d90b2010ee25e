package upstream

import (
	"net/http"
	"regexp"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// kind is why a provider refused or failed, as far as a person has to know it.
type kind struct {
	code, reason, message string
}

// The kinds. A message names what failed, and who can do what about it; nothing of it is the
// provider's.
var (
	wrongKey = kind{wire.CodeProviderFailed, wire.ProviderKey,
		"The model's provider does not accept this service's key; whoever runs the service has to correct it"}
	noAccess = kind{wire.CodeProviderFailed, wire.ProviderKey,
		"The model's provider does not let this service ask this model; choose another model, or tell whoever runs the service"}
	noCredit = kind{wire.CodeProviderFailed, wire.ProviderQuota,
		"This service's account with the model's provider is used up; whoever runs the service has to fill it up"}
	noModel = kind{wire.CodeProviderFailed, wire.ProviderModel,
		"The model does not exist at its provider; choose another model, or tell whoever runs the service"}
	// noneThere is a 404 that doesn't say what is missing.
	noneThere = kind{wire.CodeProviderFailed, wire.ProviderModel,
		"The model or its provider is not at the configured address; whoever runs the service has to correct it"}
	noProvider = kind{wire.CodeProviderFailed, wire.ProviderBroken,
		"Something other than a model answers at the provider's address; whoever runs the service has to correct it"}
	tooLong = kind{wire.CodeProviderFailed, wire.ProviderRejected,
		"The model's provider rejected the question, because it and its chat are too long; shorten it, or begin a new chat"}
	filtered = kind{wire.CodeProviderFailed, wire.ProviderFiltered,
		"The model's provider rejected the question because of its content filter; ask in other words, or begin a new chat"}
	rejected = kind{wire.CodeProviderFailed, wire.ProviderRejected, "The model's provider rejected the question; ask in another way, or begin a new chat"}
	broken   = kind{wire.CodeProviderFailed, wire.ProviderBroken, "The model's provider failed; regenerate the answer in a moment"}
	limited  = kind{wire.CodeUnavailable, "", "The model's provider takes no more questions at the moment; try again in a moment"}
	busy     = kind{wire.CodeUnavailable, wire.ProviderBroken, "The model is busy; try again in a moment"}
	away     = kind{wire.CodeUnavailable, wire.ProviderBroken, "The model's provider cannot be reached; try again in a moment"}
)

func (k kind) fault(cause error) *fault.Error {
	return &fault.Error{Code: k.code, Reason: k.reason, Message: k.message, Cause: cause}
}

// overloaded is the status with which Anthropic and others say that they are.
const overloaded = 529

// rule says that failures with a status between the two are of a kind if the provider's words
// match.
type rule struct {
	from, to int
	words    *regexp.Regexp // nil matches all
	kind     kind
}

// rules are in the order in which they are tried. The status alone does not tell: Gemini says 400
// for a wrong key, OpenAI 429 for an empty account and 403 for a model, gateways 401 for a model and 404
// for a question that no model can answer. Words are the type, the code and the sentence.
var rules = []rule{
	{402, 402, nil, noCredit},
	{400, 599, regexp.MustCompile(`model_not_found|DeploymentNotFound`), noModel},
	{400, 429, regexp.MustCompile(`(?i)insufficient[_ ](quota|balance|credits?|funds)|credit balance|out of credits|余额不足`), noCredit},
	{429, 429, regexp.MustCompile(`(?i)request too large for`), tooLong},
	{429, 429, regexp.MustCompile(`PerDay|, limit: 0\b`), noCredit}, // Gemini's free tier
	{429, 429, nil, limited},
	{503, 503, nil, busy},
	{overloaded, overloaded, nil, busy},
	{413, 413, nil, tooLong},
	{400, 599, regexp.MustCompile(`(?i)context[_ ]?(length|window|size)|maximum (context|(prompt|model|input) length)|too many (input |prompt )?tokens|` +
		`(prompt|input|request) (is )?too (long|large)|max_new_tokens\W+must be|less than \d+ tokens|range of input length|model token limit|` +
		`exceeds? max(imum)? length|token count .*exceeds|payload size exceeds`), tooLong},
	{400, 451, regexp.MustCompile(`(?i)content[_ ]?(filter|policy|management)|ResponsibleAI|moderation|flagged|safety (system|setting)|inappropriate`), filtered},
	{400, 451, regexp.MustCompile(`(?i)not allowed to access|access to (the )?model|model_access_denied|location is not supported`), noAccess},
	{400, 451, missingModel, noModel},
	{400, 400, cannot, rejected},
	{404, 422, cannot, rejected},
	{401, 401, nil, wrongKey},
	{400, 403, regexp.MustCompile(`(?i)api[_ -]?key|authentication|unauthori[sz]ed|credentials|subscription key`), wrongKey},
	{403, 403, nil, noAccess},
	{400, 400, regexp.MustCompile(`(?i)HTTP request .*HTTPS`), noProvider},
	{404, 404, nil, noneThere},
	{405, 405, nil, noProvider},
	{408, 408, nil, broken},
	{499, 499, nil, broken}, // Google's word for a request that was cancelled
	{409, 409, regexp.MustCompile(`(?i)\block|conflict|in progress|concurren`), broken},
	{400, 499, nil, rejected},
	{500, 599, nil, broken},
}

var (
	// cannot is about a model that is there, and lacks an ability that the question takes.
	cannot       = regexp.MustCompile(`(?i)(not|n't|no longer|endpoints found that) support`)
	missingModel = regexp.MustCompile(`(?i)model_?not_?found|DeploymentNotFound|(model|deployment|engine)\b.*\b(not found|(does not|doesn't|not) exist|unknown|not available|` +
		`not a valid|is invalid|no longer|decommissioned|deprecated|retired|not loaded)|(invalid|unknown|unsupported|no such|incorrect)[_ ](model|deployment)|no endpoints found for|(not_found|notfound)\w*.*\bmodels?\b|模型不存在`)
)

// kindOf returns the kind of a failure with a status. In a stream the status is 200: there a code
// that is one counts, or what the usual types mean, and otherwise the words alone.
func kindOf(status int, t told) kind {
	if status == http.StatusOK {
		status = t.status()
	}
	words := t.kind + " " + t.code + " " + t.quota + " " + t.text
	for _, r := range rules {
		isOf := status >= r.from && status <= r.to || status == 0 && r.words != nil
		if isOf && (r.words == nil || r.words.MatchString(words)) {
			return r.kind
		}
	}
	if status == 0 {
		return broken
	}
	return noProvider
}

// statuses are those of the types and codes that streams report.
var statuses = map[string]int{
	"invalid_request_error": 400, "BadRequestError": 400, "INVALID_ARGUMENT": 400, "context_length_exceeded": 400, "content_filter": 400,
	"authentication_error": 401, "AuthenticationError": 401, "invalid_api_key": 401, "UNAUTHENTICATED": 401, "billing_error": 402,
	"permission_error": 403, "PermissionDeniedError": 403, "PERMISSION_DENIED": 403,
	"not_found_error": 404, "NotFoundError": 404, "NOT_FOUND": 404, "model_not_found": 404, "request_too_large": 413,
	"rate_limit_error": 429, "RateLimitError": 429, "rate_limit_exceeded": 429, "insufficient_quota": 429, "RESOURCE_EXHAUSTED": 429,
	"server_error": 500, "api_error": 500, "InternalServerError": 500, "INTERNAL": 500, "overloaded_error": overloaded, "UNAVAILABLE": 503,
	"FAILED_PRECONDITION": 400, "CANCELLED": 499, "DEADLINE_EXCEEDED": 504,
}

// status returns the HTTP status that a failure in a stream stands for, 0 if it doesn't say.
func (t told) status() int {
	for _, one := range []string{t.code, t.kind} {
		if status, err := strconv.Atoi(one); err == nil && status >= 400 && status < 600 {
			return status
		}
		if status := statuses[one]; status != 0 {
			return status
		}
	}
	return 0
}

var (
	noTools = regexp.MustCompile(`(?i)(not|n't|no|without|found that)( \w+){0,2} support(s|ing)?( \w+){0,2} (tool|function)s?\b|` +
		`(tools?|functions?|(tool|function)[_ ](use|calls?|calling|choice))['"` + "`" + `]? (is|are)( not|n't) (supported|enabled|available)|` +
		`(unsupported|unknown|unrecogni[sz]ed)( \w+){0,3}:? ['"` + "`" + `]?(tools|tool_choice|functions)\b|--enable-auto-tool-choice|--jinja`)
	aboutSchema = regexp.MustCompile(`(?i)schema|propert(y|ies)|keyword|pattern`)
)

// refusesTools reports whether the provider says that the model or its server knows no tools. A
// sentence about the schema of one tool does not say so.
func (t told) refusesTools() bool {
	return noTools.MatchString(t.text) && !aboutSchema.MatchString(t.text)
}
