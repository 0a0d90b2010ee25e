package upstream

import (
	"errors"
	"regexp"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

// Objection is what a provider says of a request that it refuses as it is. Its words stay in this package.
type Objection struct {
	What answering.Refused
	told told
}

// wanted is said of what a request lacks.
var wanted = regexp.MustCompile(`(?i)\b(missing|is required|requires)\b|\bmust be (passed|provided|included|sent|set)\b`)

// To reports whether the provider names a member of the request, and not because it is missing.
func (o Objection) To(member string) bool {
	words := o.told.text + " " + o.told.param
	return regexp.MustCompile(`(?i)(^|\W)`+regexp.QuoteMeta(member)+`(\W|$)`).MatchString(words) && !wanted.MatchString(o.told.text)
}

// objected is a refusal with its objection.
type objected struct {
	answering.Refusal
	objection Objection
}

func (o objected) Unwrap() error { return o.Refusal }

// ToSystem reports whether no system message is taken.
func (o Objection) ToSystem() bool { return o.told.refusesSystem() }

// mostChanges is how often a request is changed after refusals.
const mostChanges = 8

// changed returns the request to send after an error in place of r; ok is false if there is none.
func (r Request) changed(err error) (next Request, ok bool) {
	var refused objected
	if r.Change == nil || !errors.As(err, &refused) {
		return r, false
	}
	return r.Change(refused.objection)
}
