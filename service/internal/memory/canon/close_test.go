package canon_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/memory/canon"
)

func TestCloseTo(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		a, b string
		want bool
	}{
		"one more item of a list":      {"User is allergic to penicillin and nuts", "User is allergic to penicillin, nuts and eggs", true},
		"another allergy":              {"User is allergic to peanuts", "User is allergic to walnuts", true},
		"another system":               {"User has an Android phone", "User has an iOS phone", true},
		"since when":                   {"User lives in Berlin", "User lives in Berlin since 2020", true},
		"a contradiction":              {"User lives in Berlin", "User lives in Hamburg", true},
		"the same about somebody else": {"User's son is allergic to eggs", "User is allergic to eggs", true},
		"another relation to a place":  {"User was born in Naples", "User lives in Naples", true},
		"only at a time":               {"User drinks wine", "User only drinks wine", true},
		"a day":                        {"User's husband cooks", "User's husband cooks on Sundays", true},
		"the same memory":              {"User has a cat", "User owns a cat", false},
		"a taste and a home":           {"User likes jazz", "User lives in Berlin", false},
		"two tastes":                   {"User likes jazz", "User likes pizza", false},
		"two wants":                    {"User wants to learn chess", "User wants a new car", false},
		"two wishes for answers":       {"User prefers short answers", "User prefers formal answers", false},
		"jobs of two people":           {"User is a nurse", "User's father is a pilot", false},
		"two things that one has":      {"User has a garden", "User has an exam on 12 June", false},
		"nothing and something":        {"", "User likes jazz", false},
		"two texts in another script":  {"用户住在北京", "用户喜欢茶", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, b := canon.Of(test.a), canon.Of(test.b)
			require.Equal(t, test.want, a.CloseTo(b), "%s / %s", a.Key(), b.Key())
			require.Equal(t, test.want, b.CloseTo(a))
		})
	}
}

// A message's statements are compared with all memories of a user, up to a thousand, so
// comparing has to cost almost nothing compared with reading.
func BenchmarkCloseTo(b *testing.B) {
	x, y := canon.Of("User is allergic to penicillin, nuts and eggs"), canon.Of("User is allergic to penicillin and nuts")
	for b.Loop() {
		x.CloseTo(y)
	}
}
