package canon

import "slices"

// otherPlace reports whether two homes, or origins, exclude each other. Paris
// is in France. A place outside the tables has no known region, so it only excludes
// other places of its size.
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

// placeOf returns the first value that is in the tables, or else the first value.
func placeOf(values []string) string {
	if i := slices.IndexFunc(values, placed); i >= 0 {
		return values[i]
	}
	return values[0]
}

func placed(place string) bool { return regions[place] != "" }

// wide recognises countries, states and provinces, which contain cities.
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
