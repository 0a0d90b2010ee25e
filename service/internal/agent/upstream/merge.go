package upstream

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Merge returns the JSON of an object with the members of more added to it, and to the objects in it, but without those
// that are refused. What it has stays.
func Merge(ours any, more map[string]any, refused ...string) ([]byte, error) {
	data, err := json.Marshal(ours)
	if err != nil || len(more) == 0 && len(refused) == 0 {
		return data, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	merge(all, more)
	for _, name := range refused {
		outer, inner, isInner := strings.Cut(name, ".")
		if object, isObject := all[outer].(map[string]any); isInner && isObject {
			delete(object, inner)
			if len(object) > 0 {
				continue
			}
		}
		delete(all, outer)
	}
	return json.Marshal(all)
}

func merge(all, more map[string]any) {
	for name, value := range more {
		known, isThere := all[name]
		if !isThere {
			all[name] = value
			continue
		}
		inner, ours := known.(map[string]any)
		further, theirs := value.(map[string]any)
		if ours && theirs {
			merge(inner, further)
		}
	}
}
