package main

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/eval"
	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// The parameters of the fit. They were chosen with -try.
const (
	steps    = 60
	rate     = 0.3
	penalty  = 1.0 // of the square of a weight
	rarest   = 2   // how many messages must contain a feature
	outcomes = 4   // worth remembering, and the three types
)

var types = []string{"preference", "fact", "context"}

// message is a labelled message and its parts.
type message struct {
	eval.Message
	public bool // one of the messages that are used to judge with -try
	parts  []part
}

// holders returns the parts that may hold the message's memory.
func (x message) holders() []part {
	return slices.DeleteFunc(slices.Clone(x.parts), func(p part) bool {
		return x.Memorable && p.Wish && !slices.Contains(x.Types, "preference")
	})
}

type part struct {
	rules.Example
	features []uint32 // hashes, each once
}

func newMessage(m eval.Message, public bool) message {
	one := message{Message: m, public: public}
	for _, example := range rules.Examples(m.Text) {
		seen := map[uint32]bool{rules.FeatureHash(rules.Bias): true}
		for _, feature := range example.Features {
			seen[rules.FeatureHash(feature)] = true
		}
		one.parts = append(one.parts, part{example, slices.Sorted(maps.Keys(seen))})
	}
	return one
}

// model has a weight for each outcome of each feature.
type model map[uint32]*[outcomes]float64

func (m model) score(p part, outcome int) float64 {
	sum := 0.0
	for _, feature := range p.features {
		if w := m[feature]; w != nil {
			sum += w[outcome]
		}
	}
	return sum
}

// fit fits weights to messages by AdaGrad (Duchi, Hazan and Singer, JMLR 12, 2011): first
// how likely a part is worth remembering, then of which type it is.
func fit(all []message) model {
	m := model{}
	count := map[uint32]int{}
	for _, x := range all {
		once := map[uint32]bool{}
		for _, p := range x.parts {
			for _, feature := range p.features {
				once[feature] = true
			}
		}
		for feature := range once {
			if count[feature]++; count[feature] == rarest {
				m[feature] = &[outcomes]float64{}
			}
		}
	}
	m.descend(all, 0, 1, m.worth)
	m.descend(all, 1, outcomes, m.kind)
	return m
}

// descend fits the outcomes in [from, to). gradient adds the gradient of a message.
func (m model) descend(all []message, from, to int, gradient func(x message, add func(p part, outcome int, by float64))) {
	squares := map[uint32]*[outcomes]float64{}
	for feature := range m {
		squares[feature] = &[outcomes]float64{}
	}
	for range steps {
		sums := map[uint32]*[outcomes]float64{}
		for feature := range m {
			sums[feature] = &[outcomes]float64{}
		}
		for _, x := range all {
			gradient(x, func(p part, outcome int, by float64) {
				for _, feature := range p.features {
					if sum := sums[feature]; sum != nil {
						sum[outcome] += by
					}
				}
			})
		}
		for feature, w := range m {
			for k := from; k < to; k++ {
				g := sums[feature][k] + float64(penalty*w[k])
				squares[feature][k] += float64(g * g)
				w[k] -= float64(rate * g / math.Sqrt(squares[feature][k]+1e-8))
			}
		}
	}
}

// worth is the gradient of the logistic loss. If a message holds a memory, it is not known which
// part holds it: each part counts in proportion to its probability. No part of another message
// holds one.
func (m model) worth(x message, add func(p part, outcome int, by float64)) {
	parts := x.holders()
	scores := make([]float64, len(parts))
	for i, p := range parts {
		scores[i] = m.score(p, 0)
	}
	shares := softmax(scores)
	for i, p := range parts {
		likely := 1 / (1 + math.Exp(-scores[i]))
		if x.Memorable {
			add(p, 0, -shares[i]*(1-likely))
		} else {
			add(p, 0, likely)
		}
	}
}

// kind is the gradient of the cross-entropy of the best part's type. Any of the message's types is right.
func (m model) kind(x message, add func(p part, outcome int, by float64)) {
	parts := x.holders()
	if !x.Memorable || len(parts) == 0 {
		return
	}
	best := parts[0]
	for _, p := range parts {
		if m.score(p, 0) > m.score(best, 0) {
			best = p
		}
	}
	shares := m.types(best)
	right := 0.0
	for k, name := range types {
		if slices.Contains(x.Types, name) {
			right += shares[k]
		}
	}
	for k, name := range types {
		by := shares[k]
		if slices.Contains(x.Types, name) {
			by -= shares[k] / right
		}
		add(best, 1+k, by)
	}
}

// types returns the probabilities of the types.
func (m model) types(p part) []float64 {
	return softmax([]float64{m.score(p, 1), m.score(p, 2), m.score(p, 3)})
}

func softmax(scores []float64) []float64 {
	shares := make([]float64, len(scores))
	if len(scores) == 0 {
		return shares
	}
	most, sum := slices.Max(scores), 0.0
	for i, s := range scores {
		shares[i] = math.Exp(s - most)
		sum += shares[i]
	}
	for i := range shares {
		shares[i] /= sum
	}
	return shares
}

// encode writes weights in the format of rules.WeightsFile, without features whose weights are
// all zero.
func encode(m model) []byte {
	var file []byte
	for _, feature := range slices.Sorted(maps.Keys(m)) {
		var units [outcomes]int16
		for k, w := range m[feature] {
			units[k] = int16(math.Round(min(max(w*rules.WeightUnit, math.MinInt16), math.MaxInt16)))
		}
		if units == [outcomes]int16{} {
			continue
		}
		file = binary.LittleEndian.AppendUint32(file, feature)
		for _, unit := range units {
			file = binary.LittleEndian.AppendUint16(file, uint16(unit))
		}
	}
	return file
}
