package embedded

import (
	"slices"
	"strings"
)

// readCalled reads the name in passing of "I have a dog called Rex".
func (r *reader) readCalled(c clause, rest []token) {
	for i := 1; i+1 < len(rest); i++ {
		if (rest[i].word == "named" || rest[i].word == "called") && !rest[i].pause && noun(rest[i-1]) {
			owner := rest[i-1].stem
			r.add(c, frame{}, fact{key: newKey(owner, keyName), owners: []string{owner}, object: content(rest[i+1:]), value: namesText(c, rest[i+1:]), be: "is"})
		}
	}
}

// readAfterPause reads the names in "I have two sons, Tom and Lee".
func (r *reader) readAfterPause(c clause, rest []token) {
	parts := segments(rest)
	if len(parts) < 2 || len(parts[0]) < 2 {
		return
	}
	owner := parts[0][len(parts[0])-1]
	last := parts[len(parts)-1]
	names := rest[len(parts[0]):]
	for _, t := range names {
		if !t.capital && !conjunctions[t.word] {
			return
		}
	}
	if noun(owner) && len(last) > 0 {
		r.add(c, frame{}, fact{key: newKey(owner.stem, keyName), owners: []string{owner.stem}, object: content(names), value: written(c, names), be: "is"})
	}
}

// readApposed reads the name in passing of "my best friend Karl".
func (r *reader) readApposed(c clause, ts []token) {
	for i := range ts {
		if at, n := apposed(ts[i:]); n > 0 {
			owners, name := content(ts[i+1:i+at]), ts[i+at:i+at+n]
			r.add(c, frame{}, fact{key: newKey(owners...).with(keyName), owners: owners, object: content(name), value: written(c, name), be: "is"})
		}
	}
}

// longestApposed is how many words may stand between "my" and a name.
const longestApposed = 3

// apposed is where, after "my" and a noun, a name begins, and of how many words
// it is; 0 for none.
func apposed(ts []token) (at, n int) {
	if len(ts) < 3 || !ourOwn[ts[0].word] {
		return 0, 0
	}
	at = 1
	for at < len(ts) && at <= longestApposed && noun(ts[at]) && !ts[at].capital && !ts[at].pause {
		at++
	}
	if at == 1 || at == len(ts) {
		return 0, 0
	}
	for i, t := range ts[at:] {
		if !t.capital || t.pause && (i > 0 || !pausedAgain(ts[at+1:])) || functionWords[t.word] || namesOfOrigin[t.stem] || timeWords[t.stem] {
			break
		}
		n++
	}
	if end := at + n; n == 0 || end < len(ts) && !ts[end].pause && noun(ts[end]) && !isVerb(ts, end) {
		return 0, 0
	}
	return at, n
}

// pausedAgain tells whether a name that a comma begins is ended by one: "my
// boss, Karl, is nice".
func pausedAgain(ts []token) bool {
	return len(ts) == 0 || slices.ContainsFunc(ts[:min(len(ts), 3)], func(t token) bool { return t.pause })
}

// namesText is the name, or the names, at the beginning.
func namesText(c clause, ts []token) string {
	name := nameText(c, ts)
	n := len(strings.Fields(name))
	if name != "" && n+1 < len(ts) && ts[n].word == "and" {
		if more := nameText(c, ts[n+1:]); more != "" {
			return name + " and " + more
		}
	}
	return name
}

// readThisIs reads "Hello, this is Marco", which may also point at something.
func (r *reader) readThisIs(c clause, f frame) {
	if n, weak := introducedName(f.rest); n > 0 && !weak && !f.negated {
		r.add(c, f, fact{key: newKey(keyName), object: content(f.rest[:n]), value: written(c, f.rest[:n]), be: "is", weak: true})
	}
}

// readCallMe reads "call me Al" and "my friends call me Al".
func (r *reader) readCallMe(c clause, ts []token) bool {
	i := slices.IndexFunc(ts, func(t token) bool { return t.stem == stemCall || t.word == "named" || t.stem == stemOf("know") })
	if i < 0 || i > 4 || i+2 >= len(ts) || ts[i+1].word != "me" {
		return false
	}
	name := ts[i+2:]
	if as := name[0].word == "as"; as != (ts[i].stem == stemOf("know")) {
		return false
	} else if as {
		name = name[1:]
	}
	negated := slices.ContainsFunc(ts[:i], func(t token) bool { return negations[t.word] })
	r.add(c, frame{negated: negated}, fact{key: newKey(keyNick), object: content(name), value: nameText(c, name), be: "is"})
	return true
}

// readHere reads "Kim here".
func (r *reader) readHere(c clause, ts []token) {
	last := len(ts) - 1
	if last > 0 && hasWord(ts[last:], "here", "speaking") && isName(ts[:last]) {
		r.add(c, frame{}, fact{key: newKey(keyName), object: content(ts[:last]), value: written(c, ts[:last]), be: "is", weak: true})
	}
}
