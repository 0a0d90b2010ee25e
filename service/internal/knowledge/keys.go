package knowledge

import "slices"

// Unique gives keys once each, in their order.
func Unique(keys []string) (all []string) {
	seen := map[string]bool{}
	for _, key := range keys {
		if !seen[key] {
			all = append(all, key)
		}
		seen[key] = true
	}
	return all
}

// Found gives those of keys that were found, once each, in the order of keys. It is never nil.
func Found(keys, found []string) []string {
	there := map[string]bool{}
	for _, key := range found {
		there[key] = true
	}
	all := slices.DeleteFunc(Unique(keys), func(key string) bool { return !there[key] })
	return append([]string{}, all...)
}
