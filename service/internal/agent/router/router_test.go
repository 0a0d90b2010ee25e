package router_test

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"log/slog"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/router"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// scripted is a provider that sends pieces and then fails, if it has an error.
type scripted struct {
	pieces []answering.Piece
	err    error
	asked  []answering.Prompt
}

func (s *scripted) Answer(_ context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
	return func(yield func(answering.Piece, error) bool) {
		s.asked = append(s.asked, prompt)
		for _, piece := range s.pieces {
			if !yield(piece, nil) {
				return
			}
		}
		if s.err != nil {
			yield(answering.Piece{}, s.err)
		}
	}
}

// scene is a Router of two providers, and what it told.
type scene struct {
	*router.Router
	one, two scripted
	outcomes []string
	paid     map[string]float64
	log      bytes.Buffer
}

func newScene(one, two scripted) *scene {
	s := &scene{one: one, two: two, paid: map[string]float64{}}
	half, low := 0.5, int64(3)
	s.Router = router.New(router.Config{
		Catalog: router.Catalog{Listed: []router.Listed{
			{Name: "one", Parameters: answering.Parameters{Temperature: &half, Headers: map[string]string{"x-a": "one", "x-b": "one"}}, Models: []router.Model{
				{Name: "large", Prices: router.Prices{Input: 2, Cached: 1, Output: 8}},
				{Name: "plain", NoReasoning: true, Abilities: answering.Abilities{NoTools: true, Images: answering.NoImages, Alternates: true, OutputTokens: 100},
					Parameters: answering.Parameters{Seed: &low}},
			}},
			{Name: "two"},
		}},
		Providers: map[string]answering.Provider{"one": &s.one, "two": &s.two},
		Asked:     func(provider, model, outcome string) { s.outcomes = append(s.outcomes, provider+"/"+model+" "+outcome) },
		Paid:      func(provider, model string, price float64) { s.paid[provider+"/"+model] += price },
		Log:       slog.New(slog.NewTextHandler(&s.log, nil)),
	})
	return s
}

// ask returns the pieces of an answer and its error.
func (s *scene) ask(t *testing.T, prompt answering.Prompt) (pieces []answering.Piece, err error) {
	t.Helper()
	for piece, wrong := range s.Answer(t.Context(), prompt) {
		require.NoError(t, err, "nothing follows an error")
		if err = wrong; err == nil {
			pieces = append(pieces, piece)
		}
	}
	return pieces, err
}

func said(text string) []answering.Piece {
	return []answering.Piece{{Text: text}, {FinishReason: wire.FinishStop}}
}

func failing(code, reason string) error {
	return &fault.Error{Code: code, Reason: reason, Message: code}
}

func TestTakeOver(t *testing.T) {
	t.Parallel()
	refusal := answering.Refusal{Err: failing(wire.CodeProviderFailed, wire.ProviderBroken), What: answering.RefusedForm}
	for _, test := range []struct {
		name   string
		pieces []answering.Piece
		err    error
		taken  bool
		shows  bool // what the model thinks
	}{
		{"unavailable", nil, failing(wire.CodeUnavailable, ""), true, false},
		{"silent", nil, failing(wire.CodeProviderTimeout, ""), true, false},
		{"used up", nil, failing(wire.CodeProviderFailed, wire.ProviderQuota), true, false},
		{"broken", nil, failing(wire.CodeProviderFailed, wire.ProviderBroken), true, false},
		{"a wrong key", nil, failing(wire.CodeProviderFailed, wire.ProviderKey), false, false},
		{"filtered", nil, failing(wire.CodeProviderFailed, wire.ProviderFiltered), false, false},
		{"another prompt may be taken", nil, refusal, false, false},
		{"unknown", nil, fmt.Errorf("unknown"), false, false},
		{"text was shown", []answering.Piece{{Text: "Hel"}}, failing(wire.CodeUnavailable, ""), false, false},
		{"thoughts were shown", []answering.Piece{{Reasoning: "Hm"}}, failing(wire.CodeProviderTimeout, ""), false, true},
		{"thoughts that nobody saw", []answering.Piece{{Reasoning: "Hm"}}, failing(wire.CodeProviderTimeout, ""), true, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newScene(scripted{pieces: test.pieces, err: test.err}, scripted{pieces: said("Hello")})
			pieces, err := s.ask(t, answering.Prompt{Model: "one/large", FallbackModels: []string{"large", "two/small"}, Reasoning: test.shows})
			if !test.taken {
				require.ErrorIs(t, err, test.err)
				require.Equal(t, test.pieces, pieces)
				require.Empty(t, s.two.asked)
				require.Empty(t, s.log.String())
				return
			}
			require.NoError(t, err)
			require.Equal(t, append(test.pieces, answering.Piece{Text: "Hello"}, answering.Piece{FinishReason: wire.FinishStop, Model: "two/small"}), pieces)
			require.Equal(t, "small", s.two.asked[0].Model)
			require.Len(t, s.one.asked, 1, "the same model is asked once")
			require.Len(t, s.outcomes, 2)
			require.Equal(t, "two/small done", s.outcomes[1])
			require.Contains(t, s.log.String(), "model=one/large takes_over=two/small")
		})
	}
}

// Where all fail, a failure that passes is told rather than one that does not.
func TestAllFail(t *testing.T) {
	t.Parallel()
	busy, empty := failing(wire.CodeUnavailable, ""), failing(wire.CodeProviderFailed, wire.ProviderQuota)
	for _, test := range []struct{ one, two, told error }{{busy, empty, busy}, {empty, busy, busy}, {empty, failing(wire.CodeProviderTimeout, ""), empty}} {
		s := newScene(scripted{err: test.one}, scripted{err: test.two})
		pieces, err := s.ask(t, answering.Prompt{Model: "large", FallbackModels: []string{"two/small"}})
		require.Empty(t, pieces)
		require.Equal(t, test.told, err)
	}
}

func TestAModelThatAnswersItselfIsNotNamed(t *testing.T) {
	t.Parallel()
	s := newScene(scripted{pieces: said("Hello")}, scripted{})
	pieces, err := s.ask(t, answering.Prompt{Model: "large", FallbackModels: []string{"two/small"}})
	require.NoError(t, err)
	require.Equal(t, said("Hello"), pieces)
	require.Equal(t, []string{"one/large done"}, s.outcomes)
}

func TestNobodyWaits(t *testing.T) {
	t.Parallel()
	s := newScene(scripted{pieces: said("Hello")}, scripted{})
	for range s.Answer(t.Context(), answering.Prompt{Model: "large"}) {
		break
	}
	require.Equal(t, []string{"one/large left"}, s.outcomes)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s = newScene(scripted{err: context.Canceled}, scripted{pieces: said("Hello")})
	for _, err := range s.Answer(ctx, answering.Prompt{Model: "large", FallbackModels: []string{"two/small"}}) {
		require.ErrorIs(t, err, context.Canceled)
	}
	require.Equal(t, []string{"one/large left"}, s.outcomes)
	require.Empty(t, s.two.asked)
}

// A model gets the parameters of its provider, its own, and those of the agent, each over the ones before.
func TestPromptsFitTheirModel(t *testing.T) {
	t.Parallel()
	s := newScene(scripted{pieces: said("Hello")}, scripted{})
	user, assistant := wire.RoleUser, wire.RoleAssistant
	messages := []answering.PromptMessage{
		{Role: assistant, Text: "0"}, {Role: user, Text: "1"}, {Role: user, Text: "2"}, {Role: assistant, Text: "3"}, {Role: user, Text: "4"},
	}
	_, err := s.ask(t, answering.Prompt{Model: "plain", Messages: messages, Reasoning: true, Parameters: answering.Parameters{
		ReasoningEffort: "high", MaxOutputTokens: 500, Headers: map[string]string{"x-b": "agent"}, Stop: []string{"END"},
	}})
	require.NoError(t, err)
	half, low := 0.5, int64(3)
	messages = []answering.PromptMessage{{Role: user, Text: "1\n\n2"}, {Role: assistant, Text: "3"}, {Role: user, Text: "4"}}
	require.Equal(t, answering.Prompt{Model: "plain", Messages: messages, Alternate: true, Parameters: answering.Parameters{
		Temperature: &half, Seed: &low, MaxOutputTokens: 100, Headers: map[string]string{"x-a": "one", "x-b": "agent"}, Stop: []string{"END"},
	}}, s.one.asked[0])
}

// What only one provider understands goes to no other one.
func TestRoundsOfAnotherModel(t *testing.T) {
	t.Parallel()
	round := func(model string) answering.Round {
		return answering.Round{Text: "Hm", Model: model, Returned: wire.JSON(`{"signature":1}`),
			Calls: []answering.RoundCall{{ModelCall: toolcall.ModelCall{ID: "1", Name: "look", Extra: wire.JSON(`{"signature":2}`)}, Status: wire.CallDone}}}
	}
	stripped := func(model string) answering.Round {
		return answering.Round{Text: "Hm", Model: model, Calls: []answering.RoundCall{{ModelCall: toolcall.ModelCall{ID: "1", Name: "look"}, Status: wire.CallDone}}}
	}
	prompt := answering.Prompt{Model: "one/large", FallbackModels: []string{"two/small"}, Rounds: []answering.Round{round(""), round("large"), round("two/small")}}
	s := newScene(scripted{err: failing(wire.CodeUnavailable, "")}, scripted{pieces: said("Hello")})
	_, err := s.ask(t, prompt)
	require.NoError(t, err)
	require.Equal(t, []answering.Round{round(""), round("large"), stripped("two/small")}, s.one.asked[0].Rounds)
	require.Equal(t, []answering.Round{stripped(""), stripped("large"), round("two/small")}, s.two.asked[0].Rounds)
	require.Equal(t, round(""), prompt.Rounds[0], "the prompt stays as it was")
}

// A model that lacks what a prompt needs does not take over.
func TestModelsThatCannotTakeOver(t *testing.T) {
	t.Parallel()
	busy := failing(wire.CodeUnavailable, "")
	image := answering.PromptMessage{Role: wire.RoleUser, Text: "Look", Images: []images.Image{{ID: "image_1"}}}
	for name, prompt := range map[string]answering.Prompt{
		"tools":  {Tools: []answering.PromptTool{{Name: "look"}}},
		"images": {Messages: []answering.PromptMessage{image}},
	} {
		s := newScene(scripted{pieces: said("Hello")}, scripted{err: busy})
		prompt.Model, prompt.FallbackModels = "two/small", []string{"plain", "large"}
		_, err := s.ask(t, prompt)
		require.NoError(t, err)
		require.Equal(t, []string{"two/small UNAVAILABLE", "one/large done"}, s.outcomes, name)
	}
}

func TestPrices(t *testing.T) {
	t.Parallel()
	s := newScene(scripted{pieces: []answering.Piece{{Text: "Hello"}, {FinishReason: wire.FinishStop,
		Usage: &wire.Usage{InputTokens: 3_000_000, CachedTokens: 1_000_000, OutputTokens: 500_000}}}}, scripted{})
	_, err := s.ask(t, answering.Prompt{Model: "large"})
	require.NoError(t, err)
	require.Equal(t, map[string]float64{"one/large": 2*2 + 1*1 + 0.5*8}, s.paid)
}

// Each kind can be opened where it is asked if nothing else is said.
func TestKinds(t *testing.T) {
	t.Parallel()
	require.Contains(t, router.Kinds(), "openai")
	for _, kind := range router.Kinds() {
		opened, err := router.Open(kind, upstream.Config{BaseURL: router.Address(kind), APIKey: "key"})
		require.NoError(t, err, kind)
		opened.Close()
	}
}

func TestNamesOfModels(t *testing.T) {
	t.Parallel()
	small := router.Model{Name: "small", Abilities: answering.Abilities{Window: 9}}
	catalog := router.Catalog{Listed: []router.Listed{{Name: "one"}, {Name: "two", Models: []router.Model{small}}}}
	for _, test := range []struct {
		name, provider, model string
		isListed              bool
	}{
		{"large", "one", "large", true},
		{"one/large", "one", "large", true},
		{"meta-llama/Llama-3", "one", "meta-llama/Llama-3", true},
		{"one/meta-llama/Llama-3", "one", "meta-llama/Llama-3", true},
		{"two/small", "two", "small", true},
		{"two/large", "two", "large", false},
		{"Two/small", "one", "Two/small", true},
		{"two", "one", "two", true},
		{"two/", "two", "", false},
	} {
		provider, model, isListed := catalog.Find(test.name)
		require.Equal(t, test.provider, provider.Name, test.name)
		require.Equal(t, test.model, model.Name, test.name)
		require.Equal(t, test.isListed, isListed, test.name)
	}
	require.True(t, catalog.IsSame("large", "one/large"))
	require.False(t, catalog.IsSame("large", "two/large"))
	require.Equal(t, answering.Abilities{Window: 9, OutputTokens: 4},
		catalog.Abilities(answering.Agent{Parameters: answering.Parameters{MaxOutputTokens: 4}}, "two/small"))
	catalog.Whole = true
	provider, model, _ := catalog.Find("two/small")
	require.Equal(t, "one two/small", provider.Name+" "+model.Name)
}
