package providertest_test

import (
	"context"
	"encoding/base64"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/providertest"
	"github.com/chatsdk/chatsdk/service/internal/agent/upstream"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// files has one image.
type files struct{}

func (files) WriteImage(_ context.Context, w io.Writer, _ images.Image) error {
	_, err := io.WriteString(w, "a picture")
	return err
}

// An image that came with a result reaches the model behind all outcomes, whatever the kind.
func TestImagesOfResultsReachEveryKind(t *testing.T) {
	t.Parallel()
	made := func(id string) answering.RoundCall {
		return answering.RoundCall{ModelCall: toolcall.ModelCall{ID: id, Name: "look", Arguments: `{"q":"a"}`}, Outcome: `{"status":"done","result":"of ` + id + `"}`}
	}
	first, second := made("call00001"), made("call00002")
	first.Images = []images.Image{{ID: "img", MediaType: "image/png", Size: len("a picture")}}
	look := providertest.Look(t)
	for _, kind := range providertest.Kinds {
		m := providertest.NewModel(t, providertest.Refuses(400, `{"error":{"message":"no"}}`))
		prompt := answering.Prompt{
			Model: "model", Files: files{}, Messages: []answering.PromptMessage{{Role: wire.RoleUser, Text: "Look."}},
			Tools:  []answering.PromptTool{{Name: look.Name, Description: look.Description, Parameters: look.Parameters}},
			Rounds: []answering.Round{{Calls: []answering.RoundCall{first, second}}},
		}
		require.Error(t, providertest.Read(t, kind.At(t, upstream.Config{BaseURL: m.URL}).Answer(t.Context(), prompt)).Err)
		body := m.Asked()[0].Body
		file := strings.Index(body, base64.StdEncoding.EncodeToString([]byte("a picture")))
		require.Greater(t, file, strings.Index(body, "of call00002"), "%s: %s", kind.Name, body)
		require.Contains(t, body, "[Images of the result of look: 1]", kind.Name)
	}
}
