package upstream

import (
	"bytes"
	"encoding/json"
)

// Merge returns the JSON of an object with the members of more added to it, and to the objects in it. What it has stays.
func Merge(ours any, more map[string]any) ([]byte, error) {
	data, err := json.Marshal(ours)
	if err != nil || len(more) == 0 {
		return data, err
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var all map[string]any
	if err := decoder.Decode(&all); err != nil {
		return nil, err
	}
	merge(all, more)
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
