package search

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"slices"
)

// ground is where a search looks: the passages of the documents that it names.
type ground struct {
	runs  []run   // in order; none touches another's ids
	count int     // of passages
	mean  float64 // length of a passage
}

// run are passages of one document whose ids follow each other.
type run struct {
	first, last int64
	document    int // its place among the keys
}

const runsOfDocuments = `
	SELECT k.key, r.first_id, r.last_id, r.length
	FROM (SELECT value, min(key) AS key FROM json_each(?) GROUP BY value) AS k CROSS JOIN passages_runs AS r ON r.document_key = k.value`

// groundOf reads where the passages of documents lie, and how long they are.
func groundOf(ctx context.Context, tx *sql.Tx, keys []string) (g ground, err error) {
	set, err := json.Marshal(keys)
	if err != nil {
		return g, err
	}
	rows, err := tx.QueryContext(ctx, runsOfDocuments, string(set))
	if err != nil {
		return g, err
	}
	defer rows.Close()
	total := 0
	for rows.Next() {
		var r run
		var length int
		if err := rows.Scan(&r.document, &r.first, &r.last, &length); err != nil {
			return g, err
		}
		g.runs = append(g.runs, r)
		g.count += int(r.last - r.first + 1)
		total += length
	}
	g.mean = max(float64(total)/float64(max(g.count, 1)), 1)
	slices.SortFunc(g.runs, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	return g, rows.Err()
}

// documentOf gives the document of a passage, as its place among the keys.
func (g ground) documentOf(id int64) (document int, found bool) {
	i, found := slices.BinarySearchFunc(g.runs, id, func(r run, id int64) int {
		switch {
		case r.last < id:
			return -1
		case r.first > id:
			return 1
		}
		return 0
	})
	if !found {
		return 0, false
	}
	return g.runs[i].document, true
}

// maxSpans bounds how often the index is entered for a word: each time takes as
// long as reading on over some hundred passages.
const maxSpans = 100

// spans covers all runs. It leaves out the widest gaps between them: what others
// have there, however much, is never read.
func (g ground) spans() (all [][2]int64) {
	var gaps []int64
	for i := range max(len(g.runs)-1, 0) {
		gaps = append(gaps, g.runs[i+1].first-g.runs[i].last-1)
	}
	narrow := int64(0) // gaps up to this are read over
	if len(gaps) >= maxSpans {
		sorted := slices.Sorted(slices.Values(gaps))
		narrow = sorted[len(sorted)-maxSpans]
	}
	for i, r := range g.runs {
		if i > 0 && gaps[i-1] <= narrow {
			all[len(all)-1][1] = r.last
			continue
		}
		all = append(all, [2]int64{r.first, r.last})
	}
	return all
}
