package embedded

import (
	"fmt"
	"strings"

	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// listedResults is how many results of a search are shown.
const listedResults = 3

// showResults adds what a web search found, which nothing here can judge.
func (r *reply) showResults(results []chat.Result) {
	if len(results) == 0 {
		return
	}
	var text strings.Builder
	text.WriteString("A web search found this, which nobody has checked:")
	for i, result := range results[:min(len(results), listedResults)] {
		fmt.Fprintf(&text, "\n%d. “%s” (%s, %s)", i+1, shortened(result.Snippet, listedRunes), result.Title, result.URL)
	}
	r.instead(text.String())
}
