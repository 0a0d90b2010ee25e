package schema

import (
	"net/url"
	"strconv"
	"strings"
)

const (
	// maxSchemas is how many schemas are written for the references of one schema; any value is allowed in place of more.
	maxSchemas = 2000
	// maxOpen is how often a reference is followed within itself.
	maxOpen = 2
)

// writer writes schemas in place of references.
type writer struct {
	root map[string]any
	left int
	open map[string]int
	// keeps says that references to definitions may stay.
	keeps bool
}

// schema returns a schema in which no reference is left that the dialect doesn't know.
func (w *writer) schema(value any) any {
	s, ok := value.(map[string]any)
	if !ok {
		return value
	}
	if w.left--; w.left < 0 {
		return map[string]any{}
	}
	if ref, has := s["$ref"].(string); has && !w.stays(ref) {
		return w.followed(s, ref, func(one map[string]any) map[string]any { return w.schema(one).(map[string]any) })
	}
	return each(s, w.schema)
}

// stays reports whether a reference may stay: one to a definition of the root.
func (w *writer) stays(ref string) bool {
	for _, keyword := range []string{"$defs", "definitions"} {
		name, is := strings.CutPrefix(ref, "#/"+keyword+"/")
		if is && w.keeps && !strings.ContainsAny(name, "/~%") {
			return true
		}
	}
	return false
}

// followed returns what a reference leads to, as do writes it, together with what stands beside the reference. Within
// itself it is followed maxOpen times, and then only the type is left.
func (w *writer) followed(s map[string]any, ref string, do func(map[string]any) map[string]any) map[string]any {
	beside := each(s, func(one any) any { return one })
	delete(beside, "$ref")
	target, _ := w.find(ref).(map[string]any)
	if w.open[ref] >= maxOpen {
		brief := map[string]any{}
		for _, keyword := range []string{"type", "description"} {
			if value, has := target[keyword]; has {
				brief[keyword] = value
			}
		}
		return together(brief, do(beside))
	}
	w.open[ref]++
	defer func() { w.open[ref]-- }()
	target = each(target, func(one any) any { return one })
	if len(target) > 0 && ref == "#" {
		delete(target, "$defs")
		delete(target, "definitions")
	}
	return together(do(target), do(beside))
}

// find returns what a reference within the schema leads to, nil for nothing.
func (w *writer) find(ref string) any {
	pointer, err := url.PathUnescape(strings.TrimPrefix(ref, "#"))
	if err != nil {
		return nil
	}
	var at any = w.root
	if pointer == "" {
		return at
	}
	name, isPointer := strings.CutPrefix(pointer, "/")
	if !isPointer {
		return anchored(at, pointer)
	}
	for _, step := range strings.Split(name, "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch value := at.(type) {
		case map[string]any:
			at = value[step]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(value) {
				return nil
			}
			at = value[i]
		default:
			return nil
		}
	}
	return at
}

// anchored returns the schema with an anchor, nil for none.
func anchored(value any, anchor string) (found any) {
	s, ok := value.(map[string]any)
	if !ok {
		return nil
	}
	if s["$anchor"] == anchor {
		return s
	}
	each(s, func(one any) any {
		if found == nil {
			found = anchored(one, anchor)
		}
		return one
	})
	return found
}
