package tool

import (
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// misfits is how many things that do not fit are told at once.
const misfits = 3

// sentence says what does not fit a schema, the same for the same value.
func sentence(err *jsonschema.ValidationError) string {
	var all []string
	gather(err, &all)
	slices.Sort(all)
	all = slices.Compact(all)
	more := ""
	if len(all) > misfits {
		all, more = all[:misfits], "; and more"
	}
	return strings.Join(all, "; ") + more
}

// gather collects what lies at the bottom of an error.
func gather(err *jsonschema.ValidationError, all *[]string) {
	for _, cause := range err.Causes {
		gather(cause, all)
	}
	if len(err.Causes) == 0 {
		*all = append(*all, pointer(err.InstanceLocation)+cutCharacters(words(err.ErrorKind), 200))
	}
}

// words says what is wrong without the value that is: it may be long, or a secret.
func words(what jsonschema.ErrorKind) string {
	switch what := what.(type) {
	case *kind.Pattern:
		return "it does not match the pattern " + what.Want
	case *kind.Format:
		if what.Want == "regex" {
			return "it is no regular expression of RE2, or has too many repetitions"
		}
		return "it is no " + what.Want
	case *kind.AdditionalProperties:
		return "unknown names: " + strings.Join(slices.Sorted(slices.Values(what.Properties)), ", ")
	case *kind.PropertyNames:
		return "a name is not allowed: " + what.Property
	case *kind.FalseSchema:
		return "no value is allowed"
	case *kind.ContentEncoding, *kind.ContentMediaType, *kind.InvalidJsonValue:
		return "it is not as the schema wants it"
	}
	return what.LocalizedString(message.NewPrinter(language.English))
}
