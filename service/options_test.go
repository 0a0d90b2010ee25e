package main_test

import (
	"bytes"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

// withImage is a message with a file.
func withImage(t *testing.T, message string, content []byte) (header http.Header, body string) {
	t.Helper()
	var text bytes.Buffer
	w := multipart.NewWriter(&text)
	require.NoError(t, w.WriteField(wire.FieldMessage, message))
	require.NoError(t, w.WriteField(wire.FieldProjectID, "demo"))
	part, err := w.CreateFormFile(wire.FieldImages, "a.png")
	require.NoError(t, err)
	_, err = part.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return http.Header{"Content-Type": {w.FormDataContentType()}}, text.String()
}

// An image that was accepted can be read after a kill.
func TestImagesOutliveAKill(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := startIn(t, folder, nil)
	png := imagetest.PNG(640, 480)
	header, body := withImage(t, "What is this?", png)
	sent := decode[wire.SendMessageResponse](t, p.do(http.MethodPost, "/v3/chat/message", header, body), http.StatusOK)
	require.Contains(t, sent.Message.Content, "a PNG image of 640 × 480")
	p.kill()
	p = startIn(t, folder, nil)
	history := decode[wire.ChatHistoryResponse](t, p.do(http.MethodGet, "/project/demo/chat/"+sent.ChatID+"/all", nil, ""), http.StatusOK)
	require.Len(t, history.Messages[0].ImageURLs, 1)
	got := p.do(http.MethodGet, history.Messages[0].ImageURLs[0], nil, "")
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, png, got.body)

	header, body = withImage(t, "And this?", append(png, make([]byte, 10<<20)...))
	requireError(t, p.do(http.MethodPost, "/v3/chat/message", header, body), http.StatusRequestEntityTooLarge, wire.CodePayloadTooLarge)
}

func TestWebSearch(t *testing.T) {
	t.Parallel()
	engine := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		if query.Get("key") != openaiKey || query.Get("cx") != "engine" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = fmt.Fprintf(w, `{"items":[{"title":"T","link":"https://a.example/","snippet":"About %s"}]}`, query.Get("q"))
	}))
	t.Cleanup(engine.Close)
	set := env{"SEARCH_KEY": openaiKey, "SEARCH_ENGINE_ID": "engine", "SEARCH_BASE_URL": engine.URL}
	sent := decode[wire.SendMessageResponse](t, start(t, set).send("What is "+word+"?", wire.FieldGoogleSearch, "true"), http.StatusOK)
	want := []wire.Source{{Title: "T", URL: "https://a.example/", Snippet: "About What is " + word + "?", Score: 1}}
	require.Equal(t, want, sent.Message.Sources)
	require.Contains(t, sent.Message.Content, "https://a.example/")

	failing := start(t, set.with(env{"SEARCH_ENGINE_ID": "other"}))
	sent = decode[wire.SendMessageResponse](t, failing.send("What is "+word+"?", wire.FieldGoogleSearch, "true"), http.StatusOK)
	require.Empty(t, sent.Message.Sources)
	require.Contains(t, failing.stderr.String(), "websearch: status 403")

	refused := start(t, nil).send("What?", wire.FieldGoogleSearch, "true")
	requireError(t, refused, http.StatusBadRequest, wire.CodeFeatureDisabled)
	require.Contains(t, string(refused.body), "SEARCH_KEY")
}

func TestExamplesNeedAModel(t *testing.T) {
	t.Parallel()
	refused := start(t, nil).send("What?", wire.FieldExampleJSON, "{}")
	requireError(t, refused, http.StatusBadRequest, wire.CodeFeatureDisabled)
	require.Contains(t, string(refused.body), "OPENAI_BASE_URL")

	model := newModel(t)
	s := start(t, model.env()).stream("What?", wire.FieldExampleJSON, `{"a": 1}`)
	c := <-model.calls
	c.say("Well")
	c.finish()
	c = <-model.calls
	require.Len(t, c.asked.Messages, 4, "it is asked once more, with what was wrong")
	c.say("```json\n{\"a\": 2}\n```")
	c.finish()
	require.Equal(t, `{"a": 2}`, s.complete().Message.Content)
}

// A model cites passages by their numbers, which it may split over several pieces:
// neither the text nor a chunk has them.
func TestAModelCites(t *testing.T) {
	t.Parallel()
	model := newModel(t)
	p := start(t, model.env())
	p.upload("shop.md", []byte("# Hours\n\nThe shop opens at nine.\n\n# Returns\n\nShoes are returned within thirty days."))
	p.documents() // until they are read
	first := p.stream("When does the shop open?", wire.FieldUseKnowledgebase, "true")
	c := <-model.calls
	for _, piece := range []string{"At nine", " [", "1", "]", ". See ", "a[1]."} {
		c.say(piece)
	}
	c.finish()
	answer := first.complete().Message
	require.Equal(t, "At nine. See a[1].", answer.Content)
	require.Len(t, answer.Sources, 1)
	require.Contains(t, answer.Sources[0].Snippet, "opens at nine")

	greeting := p.stream("Hello", wire.FieldUseKnowledgebase, "true", wire.FieldChatID, answer.ChatID)
	c = <-model.calls
	require.NotContains(t, c.asked.Messages[len(c.asked.Messages)-1].Content, "<passage")
	c.say("Hello! How can I help?")
	c.finish()
	require.Empty(t, greeting.complete().Message.Sources)
}
