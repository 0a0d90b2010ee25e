package httpapi_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// Whoever reads an answer gets addresses of its images, in a stream, in a stream that is read again, in JSON and in histories.
func TestImagesOfAnAnswerHaveAddresses(t *testing.T) {
	t.Parallel()
	files, err := images.Read([][]byte{imagetest.PNG(64, 48)})
	require.NoError(t, err)
	elsewhere := `{"image_urls":["https://elsewhere.example/x.png"],"n":1.50}`
	s := start(t, func(up *setup) {
		up.provider = say(answering.Piece{Object: wire.JSON(elsewhere)}, answering.Piece{Text: `"image_urls"`}, answering.Piece{Image: &files[0]},
			answering.Piece{FinishReason: wire.FinishStop})
	})
	text := s.send(as("ann").with("accept", eventStream)).Body.String()
	require.Contains(t, text, "event: message_object\ndata: "+elsewhere+"\n", "the model's own addresses stay")
	found := regexp.MustCompile(`event: message_object\ndata: (\{"image_urls":\["/.*)\n`).FindStringSubmatch(text)
	require.Len(t, found, 2, text)
	var object struct {
		ImageURLs []string `json:"image_urls"`
	}
	require.NoError(t, json.Unmarshal([]byte(found[1]), &object))
	require.Len(t, object.ImageURLs, 1)
	require.Equal(t, 2, strings.Count(text, object.ImageURLs[0]), "in the last event, too")
	require.NotContains(t, text, `"`+files[0].ID+`"`)
	w := s.do("GET", object.ImageURLs[0], nil, "")
	require.Equal(t, 200, w.Code)
	require.Equal(t, files[0].Content, w.Body.Bytes())

	var started wire.Start
	require.NoError(t, json.Unmarshal([]byte(regexp.MustCompile(`event: start\ndata: (.*)\n`).FindStringSubmatch(text)[1]), &started))
	again := s.do("GET", "/v3/chat/stream/"+started.StreamID, as("ann"), "").Body.String()
	require.Contains(t, again, found[1])
	one := fmt.Sprintf("/project/demo/chat/%s/message/%s", started.ChatID, started.MessageID)
	require.Equal(t, object.ImageURLs, decode[wire.Message](t, s.do("GET", one, as("ann"), "")).ImageURLs)
	history := decode[wire.ChatHistoryResponse](t, s.do("GET", "/project/demo/chat/"+started.ChatID+"/all", as("ann"), ""))
	require.Equal(t, object.ImageURLs, history.Messages[1].ImageURLs)
	require.Equal(t, `"image_urls"`, history.Messages[1].Content)
}

func TestImagesOfAnAnswerInJSON(t *testing.T) {
	t.Parallel()
	files, err := images.Read([][]byte{imagetest.PNG(2, 2)})
	require.NoError(t, err)
	s := start(t, func(up *setup) {
		up.provider = say(answering.Piece{Image: &files[0]}, answering.Piece{FinishReason: wire.FinishStop})
	})
	whole := decode[wire.SendMessageResponse](t, s.send(as("ann")))
	require.Len(t, whole.Message.ImageURLs, 1)
	require.Equal(t, files[0].Content, s.do("GET", whole.Message.ImageURLs[0], nil, "").Body.Bytes())
}
