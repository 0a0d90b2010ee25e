package knowledge

import "slices"

// Unique returns keys without repetitions, in their order.
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

// Found returns those of keys that were found, without repetitions, in the order of keys. It is
// never nil.
func Found(keys, found []string) []string {
	there := map[string]bool{}
	for _, key := range found {
		there[key] = true
	}
	all := slices.DeleteFunc(Unique(keys), func(key string) bool { return !there[key] })
	return append([]string{}, all...)
}
