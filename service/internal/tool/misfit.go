package tool

import (
	"cmp"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

// misfits is how many errors are reported at once.
const misfits = 3

// sentence says what does not fit a schema. It is the same for the same value.
func sentence(err *jsonschema.ValidationError) string {
	found := leaves(err, nil)
	slices.SortFunc(found, func(a, b *jsonschema.ValidationError) int {
		return cmp.Or(slices.Compare(a.InstanceLocation, b.InstanceLocation), strings.Compare(a.SchemaURL, b.SchemaURL),
			slices.Compare(a.ErrorKind.KeywordPath(), b.ErrorKind.KeywordPath()))
	})
	var all []string
	for _, one := range found {
		text := strictjson.Pointer(one.InstanceLocation) + fault.Shorten(words(one.ErrorKind), 200)
		if slices.Contains(all, text) {
			continue
		}
		if len(all) == misfits {
			return strings.Join(all, "; ") + "; and more"
		}
		all = append(all, text)
	}
	return strings.Join(all, "; ")
}

// leaves adds the innermost causes of an error.
func leaves(err *jsonschema.ValidationError, all []*jsonschema.ValidationError) []*jsonschema.ValidationError {
	if len(err.Causes) == 0 {
		return append(all, err)
	}
	for _, cause := range err.Causes {
		all = leaves(cause, all)
	}
	return all
}

// words says what is wrong without the value, which may be long, or a secret.
func words(what jsonschema.ErrorKind) string {
	switch what := what.(type) {
	case *kind.Pattern:
		return "it does not match the pattern " + what.Want
	case *kind.Format:
		if what.Want == "regex" {
			return "it is not a regular expression that RE2 accepts, or has too many repetitions"
		}
		return "it is not a valid " + what.Want
	case *kind.AdditionalProperties:
		return "unknown names: " + strings.Join(slices.Sorted(slices.Values(what.Properties)), ", ")
	case *kind.PropertyNames:
		return "a name is not allowed: " + what.Property
	case *kind.FalseSchema:
		return "no value is allowed"
	case *kind.ContentEncoding, *kind.ContentMediaType, *kind.InvalidJsonValue:
		return "it does not match the schema"
	}
	return what.LocalizedString(message.NewPrinter(language.English))
}
