package embedded

import (
	"slices"
	"strings"
)

// key names what a fact tells, or a question asks for, as a sorted set of
// stems: {~name} is the user's name, {sister ~name} the sister's, {color
// favorit} the favourite colour, {~home} where the user lives, {drive} what the
// user drives. A stem with ~ stands for a group of words. A whole key is
// compared, so what is said of a sister never answers for the user.
type key []string

func newKey(parts ...string) key {
	k := slices.Clone(parts)
	slices.Sort(k)
	return slices.Compact(k)
}

func (k key) with(parts ...string) key { return newKey(append(slices.Clone(k), parts...)...) }

func (k key) has(part string) bool { return slices.Contains(k, part) }

// within tells whether each part of k is in one of the lists.
func (k key) within(lists ...[]string) bool {
	for _, part := range k {
		if !slices.ContainsFunc(lists, func(list []string) bool { return slices.Contains(list, part) }) {
			return false
		}
	}
	return true
}

// grouped tells whether a part of k stands for a group of words.
func (k key) grouped() bool {
	return slices.ContainsFunc(k, func(part string) bool { return strings.HasPrefix(part, "~") })
}

// Groups of words that tell the same of somebody.
const (
	keyName     = "~name"
	keySurname  = "~surname"
	keyNick     = "~nick"
	keyAge      = "~age"
	keyHome     = "~home"
	keyJob      = "~job"
	keyWork     = "~work"
	keyOrigin   = "~origin"
	keyBirth    = "~birth"
	keyNation   = "~nation"
	keyLike     = "~like"
	keyHave     = "~have"
	keyBe       = "~be"
	keyRemember = "~remember"
)

// nounGroups are the groups that a noun names, verbGroups those of verbs.
var (
	nounGroups = byStem(`name ~name, surname ~surname, lastname ~surname, nickname ~nick, age ~age, job ~job, profession ~job, occupation ~job,
		career ~job, employer ~work, company ~work, workplace ~work, home ~home, address ~home, residence ~home, birthday ~birth, birthdate ~birth,
		hometown ~origin, nationality ~nation, hobby ~like, interest ~like`)
	verbGroups = byStem(`live ~home, reside ~home, settle ~home, base ~home, locate ~home, situate ~home, relocate ~home, work ~work, employ ~work,
		born ~birth, bear ~birth, raise ~origin, like ~like, love ~like, enjoy ~like, adore ~like, prefer ~like, admire ~like, hate ~like, dislike ~like,
		detest ~like, despise ~like, have ~have, own ~have, possess ~have, get ~have, adopt ~have, call ~name, name ~name`)
	dislikes = stems("hate dislike detest despise")
	// looseParts say nothing in front of a group, looseNameParts in front of a name.
	looseParts     = stems("own current present actual real main home postal daily day")
	looseNameParts = stems("own current actual real first full given true complete")
)

func byStem(list string) map[string]string {
	all := map[string]string{}
	for word, group := range pairs(list) {
		all[stemOf(word)] = group
	}
	return all
}

// content are the stems of the words that mean something by themselves.
func content(ts []token) []string {
	var all []string
	for _, t := range ts {
		if !contentless[t.word] && !adverbs[t.word] {
			all = append(all, t.stem)
		}
	}
	return all
}

// nounKey reads a noun with its owners: "my sister's name", "the name of my
// sister", "her name" with the person that "her" means. The owners are given
// apart as well.
func nounKey(ts, person []token) (k key, owners []string) {
	if len(ts) > 0 && possessives[ts[0].word] {
		owners = content(person)
		ts = ts[1:]
	}
	if len(ts) > 0 && ts[0].word == "your" {
		owners = []string{"your"}
	}
	for i := range ts {
		if at, n := apposed(ts[i:]); n > 0 {
			ts = append(append([]token(nil), ts[:i+at]...), ts[i+at+n:]...)
			break
		}
	}
	head, tail := ts, []token(nil)
	if i := slices.IndexFunc(ts, func(t token) bool { return prepositions[t.word] }); i > 0 {
		head, tail = ts[:i], ts[i+1:]
	}
	if i := lastOwner(head); i >= 0 {
		owners = append(owners, content(head[:i])...)
		head = head[i+1:]
	}
	if i := lastOwner(tail); len(tail) > 0 && (ourOwn[tail[0].word] || i >= 0 || tail[0].capital) {
		owners = append(owners, content(tail)...)
	}
	parts := grouped(content(head))
	all := newKey(append(append(parts, owners...), content(tail)...)...)
	return dates(all), owners
}

// lastOwner is the place of the last 's, -1 for none.
func lastOwner(ts []token) int {
	for i := len(ts) - 1; i >= 0; i-- {
		if ts[i].word == "'s" {
			return i
		}
	}
	return -1
}

// grouped puts the group of the last noun in its place, and drops what says
// nothing in front of it.
func grouped(parts []string) []string {
	if len(parts) == 0 {
		return parts
	}
	last := len(parts) - 1
	before := parts[:last]
	group, ok := nounGroups[parts[last]]
	if !ok {
		return parts
	}
	if group == keyHome && slices.ContainsFunc(before, func(p string) bool { return p == "email" || p == "mail" || p == "e-mail" }) {
		return []string{"email"}
	}
	if group == keyName && slices.ContainsFunc(before, func(p string) bool { return p == "last" || p == "family" || p == "maiden" }) {
		return []string{keySurname}
	}
	if group == keyName && slices.Contains(before, "nick") {
		return []string{keyNick}
	}
	loose := looseParts
	if group == keyName {
		loose = looseNameParts
	}
	kept := slices.DeleteFunc(slices.Clone(before), func(p string) bool { return loose[p] })
	return append(kept, group)
}

// dates puts the group of a birthday in the place of its descriptions.
func dates(k key) key {
	for _, words := range []key{newKey("date", "birth"), newKey("day", "birth")} {
		if words.within(k) {
			return newKey(append(slices.DeleteFunc(slices.Clone(k), func(p string) bool { return slices.Contains(words, p) }), keyBirth)...)
		}
	}
	return k
}
