package canon

import "slices"

// otherPlace reports whether two homes, or origins, exclude each other. Paris
// lies in France; of a place that no table knows nobody can tell what it
// lies in, so that it only excludes others that are as small.
func otherPlace(a, b Form) bool {
	if !disjoint(a.Values, b.Values) {
		return false
	}
	if dwells(a) || dwells(b) {
		return settlements(a, b)
	}
	x, y := placeOf(a.Values), placeOf(b.Values)
	if within(x, y) || within(y, x) {
		return false
	}
	wideX, wideY := wide(x), wide(y)
	if wideX == wideY {
		return true
	}
	return placed(x) && placed(y)
}

func dwells(f Form) bool { return anyIs("dwelling", f.Values) || anyIs("settlement", f.Values) }

// settlements: the city is not the countryside; a house may be in both.
func settlements(a, b Form) bool {
	rural := []string{"countrysid", "countryside", "farm", "villag", "village"}
	urban := []string{"citi", "city"}
	return share(a.Values, rural) && share(b.Values, urban) || share(b.Values, rural) && share(a.Values, urban)
}

// placeOf is the first value that is in the tables, or the first at all.
func placeOf(values []string) string {
	if i := slices.IndexFunc(values, placed); i >= 0 {
		return values[i]
	}
	return values[0]
}

func placed(place string) bool { return regions[place] != "" }

// wide tells countries, and states and provinces: what cities lie in.
func wide(place string) bool {
	region := regions[place]
	return region == base("world") || region == base("usa") || slices.Contains(provinces, place)
}

var provinces = bases("ontario quebec alberta scotland wales england")

func within(place, region string) bool {
	for range 4 { // a city, a state, a country, the world
		if place == region {
			return true
		}
		place = regions[place]
	}
	return false
}
