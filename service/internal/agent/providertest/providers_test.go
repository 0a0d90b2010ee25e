package providertest_test

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

var table = flag.Bool("table", false, "print what each kind of provider reads from each case")

// Every case is read rightly by its own kind, and never taken for an answer by another one.
func TestProviders(t *testing.T) {
	var rows []string
	for _, kind := range providertest.Kinds {
		for _, test := range kind.Cases {
			for _, reader := range providertest.Kinds {
				t.Run(kind.Name+"/"+test.Name+"/"+reader.Name, func(t *testing.T) {
					m := providertest.NewModel(t, test.Step())
					p := reader.At(t, upstream.Config{BaseURL: m.URL + "/v1"})
					got := providertest.Read(t, p.Answer(t.Context(), test.Prompt(t)))
					rows = append(rows, strings.Join([]string{kind.Name + ": " + test.Name, reader.Name, told(got)}, "\t"))
					if reader.Name == kind.Name {
						requireRead(t, test, got, len(m.Asked()))
						return
					}
					require.Error(t, got.Err, "%s takes a stream of %s for an answer: %s", reader.Name, kind.Name, told(got))
				})
			}
		}
	}
	if *table {
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		_, _ = fmt.Fprintf(w, "case\tkind\tread\n%s\n", strings.Join(rows, "\n"))
		require.NoError(t, w.Flush())
	}
}

func requireRead(t *testing.T, want providertest.Case, got providertest.Answer, asked int) {
	t.Helper()
	require.Equal(t, want.Finish, got.Last.FinishReason, "%v", got.Err)
	require.Equal(t, want.Text, got.Text())
	require.Equal(t, want.Reasoning, got.Reasoning)
	require.Len(t, got.Images, want.Images)
	require.Equal(t, want.Calls, looks(t, got))
	if got.Err != nil {
		var failure *fault.Error
		require.ErrorAs(t, got.Err, &failure)
		require.True(t, strings.HasPrefix(failure.Message, want.Message), failure.Message)
	}
	if want.Usage != nil {
		require.Equal(t, want.Usage, got.Last.Usage)
	}
	if want.Requests > 0 {
		require.Equal(t, want.Requests, asked)
	}
}

// looks returns the arguments of the calls of the tool look, as they are carried out.
func looks(t *testing.T, got providertest.Answer) (all []string) {
	t.Helper()
	look := providertest.Look(t)
	for _, call := range got.Calls {
		require.Equal(t, look.Name, tool.PlainName(call.Name))
		arguments, err := look.Mend(call.Arguments)
		require.NoError(t, err)
		require.NoError(t, look.Check(arguments))
		all = append(all, arguments)
	}
	return all
}

// told says what was read, in one line.
func told(a providertest.Answer) string {
	var all []string
	say := func(format string, value any) { all = append(all, fmt.Sprintf(format, value)) }
	if a.Reasoning != "" {
		say("reasoning %q", a.Reasoning)
	}
	if text := a.Text(); text != "" {
		say("%q", text)
	}
	for _, call := range a.Calls {
		say("%s", call.Name+call.Arguments)
	}
	if len(a.Images) > 0 {
		say("%d images", len(a.Images))
	}
	if a.Last.Usage != nil {
		say("usage %+v", *a.Last.Usage)
	}
	var failure *fault.Error
	if errors.As(a.Err, &failure) {
		say("%s", cmp.Or(failure.Reason, "unavailable")+": "+failure.Message)
	} else {
		say("%s", a.Last.FinishReason)
	}
	return strings.Join(all, ", ")
}
