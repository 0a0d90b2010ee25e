package test_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// While a model refuses, every view says so at the top, with what to do.
func TestConsoleSaysThatDetectionFails(t *testing.T) {
	t.Parallel()
	const message = "I have two cats."
	model := test.NewModel(t)
	model.RefusesToDetect(message, 401)
	service, admin := remembering(t, append(model.Env(), "CONSOLE=1")...)
	p := openServed(t, service, "bea", "#assistant/review")
	require.True(t, test.Eval[bool](p, `return find("#failing").hidden`))
	tell(admin, 0, "ana", message)
	for _, view := range []string{"review", "memories", "settings"} {
		goTo(p, view)
		p.Until(`find("#" + $1).checkVisibility() && find("#failing").checkVisibility()`, view)
	}
	require.Regexp(t, `^Since \d.* the model has examined no message: \d attempts? failed, 1 message waits\.$`,
		test.Eval[string](p, `return inside(find("#failing"), "counts")`))
	require.Equal(t, "The model's provider rejects the key. Give the service a valid OPENAI_API_KEY. (PROVIDER_FAILED, status 401)",
		test.Eval[string](p, `return inside(find("#failing"), "advice")`))
	require.Contains(t, test.Eval[string](p, `return find("#detector").textContent`), "A language model examines messages.")
	require.Empty(t, test.Eval[[]string](p, `
		return all("body *").filter((element) => element.checkVisibility() && element.scrollWidth > innerWidth).map((element) => element.id)`))

	model.Detects(message, test.Detected{Type: "fact", Content: "User has two cats", Confidence: 0.9, Quote: "I have two cats"})
	p.Until(`find("#failing").hidden && find("[data-stat=pending] b").textContent === "1"`)
}

func TestConsoleSaysThatDetectionWithoutAModelReadsEnglish(t *testing.T) {
	t.Parallel()
	service, _ := remembering(t, "CONSOLE=1")
	p := openServed(t, service, "bea", "#assistant/settings")
	p.Until(`find("#detector").checkVisibility() && find("#detector").textContent.includes("They understand only English")`)
	require.True(t, test.Eval[bool](p, `return find("#failing").hidden`))
}
