package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

const tenths = 10

// judged is the judgement of a message by weights that were not fitted to it.
type judged struct {
	memorable    bool
	score, ruled float64 // the highest scores of its parts without and with a rule
	right        [2]bool // whether the type of each is right
}

// crossValidate prints the figures for several minimum scores.
func crossValidate(to io.Writer, all []message) error {
	var out []judged
	for tenth := range uint32(tenths) {
		var learn, judge []message
		for _, x := range all {
			if x.public && rules.FeatureHash("tenth "+x.ID)%tenths == tenth {
				judge = append(judge, x)
			} else {
				learn = append(learn, x)
			}
		}
		m := fit(learn)
		for _, x := range judge {
			out = append(out, m.judge(x))
		}
	}
	if err := printTry(to, out, math.Inf(-1), math.Inf(1)); err != nil { // only the rules
		return err
	}
	for _, least := range []float64{math.Inf(1), 2, rules.UnruledScore, 1, 0.6, 0.3, 0} {
		if err := printTry(to, out, rules.RuledScore, least); err != nil {
			return err
		}
	}
	return nil
}

func (m model) judge(x message) judged {
	j := judged{memorable: x.Memorable, score: math.Inf(-1), ruled: math.Inf(-1)}
	for _, p := range x.parts {
		score := m.score(p, 0)
		if p.Ruled != "" {
			if score > j.ruled {
				j.ruled, j.right[1] = score, slices.Contains(x.Types, p.Ruled)
			}
			continue
		}
		shares := m.types(p)
		kind := types[slices.Index(shares, slices.Max(shares))]
		if score > j.score && (!p.Wish || kind == "preference") {
			j.score, j.right[0] = score, slices.Contains(x.Types, kind)
		}
	}
	return j
}

func printTry(to io.Writer, all []judged, ruled, least float64) error {
	var memorable, empty, found, wrong, right int
	for _, j := range all {
		byRule := j.ruled >= ruled && !math.IsInf(j.ruled, -1)
		given := byRule || j.score >= least
		switch {
		case !j.memorable:
			empty++
			if given {
				wrong++
			}
		default:
			memorable++
			if given {
				found++
			}
			if byRule && j.right[1] || !byRule && given && j.right[0] {
				right++
			}
		}
	}
	share := func(a, b int) float64 { return float64(a) / float64(max(b, 1)) }
	_, err := fmt.Fprintf(to, "least score %5.1f with a rule, %5.1f without: precision %.3f, recall %.3f, false alarms %.3f, right type %.3f\n",
		ruled, least, share(found, found+wrong), share(found, memorable), share(wrong, empty), share(right, found))
	return err
}
