package rules

import (
	_ "embed"
	"encoding/binary"
	"hash/fnv"
	"math"
	"slices"
)

// found reports whether a rule found the part.
func (p part) found() bool { return p.confidence >= threshold }

// Example is a part of a message in the form that the learned weights see.
type Example struct {
	Content string // the statement that would be stored
	// Ruled is the type that a rule gave, "" if no rule found it.
	Ruled string
	// Features name what the part is made of and what is around it, some of them more than once.
	Features []string
	// Wish says that it is an instruction to the assistant: a preference, or nothing.
	Wish bool
}

// Examples returns the parts of a message, for learning from labelled messages.
func Examples(message string) []Example {
	_, parts := read(message)
	var all []Example
	for _, p := range parts {
		one := Example{Content: p.content, Features: p.features, Wish: p.shape == wished}
		if p.found() {
			one.Ruled = p.kind
		}
		all = append(all, one)
	}
	return all
}

// The least score of a finding, if a rule found it and if none did.
const (
	RuledScore   = 0.5
	UnruledScore = 1.5
)

// types are the memory types in the order of the weights' file.
var types = [...]string{preference, fact, context}

// weights are the weights of a feature: first how likely the part is worth remembering,
// then how likely each type is.
type weights [1 + len(types)]float64

// Bias is the feature that every part has.
const Bias = "bias"

// WeightsFile holds the weights that the command service/internal/builtin/memory/learn writes: for each
// feature, in the order of their hashes, its FNV-1a hash (32 bits) and four weights in units of
// 1/WeightUnit (16 bits), all of them little-endian.
//
//go:embed weights.bin
var WeightsFile []byte

// WeightUnit is one over the smallest weight.
const WeightUnit = 512

var learnt = readWeights(WeightsFile)

const weightSize = 4 + 2*len(weights{})

func readWeights(file []byte) map[uint32]weights {
	all := make(map[uint32]weights, len(file)/weightSize)
	for line := range slices.Chunk(file, weightSize) {
		var w weights
		for i := range w {
			w[i] = float64(int16(binary.LittleEndian.Uint16(line[4+2*i:]))) / WeightUnit
		}
		all[binary.LittleEndian.Uint32(line)] = w
	}
	return all
}

// FeatureHash returns the key under which the weights of a feature are found.
func FeatureHash(feature string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(feature))
	return h.Sum32()
}

// weigh sums the weights of the features. Each counts once.
func weigh(features []string) (sum weights) {
	seen := make(map[uint32]bool, len(features))
	for _, feature := range append(features, Bias) {
		hash := FeatureHash(feature)
		if seen[hash] {
			continue
		}
		seen[hash] = true
		for i, w := range learnt[hash] {
			sum[i] += w
		}
	}
	return sum
}

// chosen returns the parts that are worth remembering. It returns a part that is only
// mentioned in a clause if there is no other.
func chosen(parts []part) []candidate {
	var said, aside []candidate
	for _, p := range parts {
		sum := weigh(p.features)
		if sum[0] < p.least() {
			continue
		}
		if !p.found() {
			best := slices.Index(sum[1:], slices.Max(sum[1:]))
			p.verdict = verdict{types[best], 1 / (1 + math.Exp(-sum[0]))}
		}
		if p.shape == wished && p.kind != preference {
			continue
		}
		if p.aside() {
			aside = append(aside, p.candidate)
		} else {
			said = append(said, p.candidate)
		}
	}
	if len(said) > 0 {
		return said
	}
	return aside
}

func (p part) least() float64 {
	if p.found() {
		return RuledScore
	}
	return UnruledScore
}
