package sdk_test

import (
	"encoding/json"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// eventVectors are the events of testdata/events.json, with every member that the SDK reads.
func eventVectors(t testing.TB) map[string]json.RawMessage {
	text, err := os.ReadFile("testdata/events.json")
	require.NoError(t, err)
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

// having reads a stream that has one event after its start.
func having(t *testing.T, kind string, data []byte) (outcome, *script) {
	events := stream(start(), written{event: kind, data: string(data)})
	client, script := openPage(t, streamReply(events), jsonReply(storedReply))
	return outcomeOf(t, client, sdk.SendMessageOptions{}), script
}

func TestEachEventOfTheProtocolHasItsVector(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/protocol.md")
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(page), "| Event | Data | Meaning |")
	table, _, _ = strings.Cut(table, "\n\n")
	var names, vectors []string
	for _, row := range regexp.MustCompile("(?m)^\\| `(\\w+)`").FindAllStringSubmatch(table, -1) {
		names = append(names, row[1])
	}
	for name := range eventVectors(t) {
		vectors = append(vectors, name)
	}
	require.ElementsMatch(t, names, vectors)
}

// A member of another type is the end of the answer, and not an empty value. An error ends the answer whatever it says.
func TestAnEventOfAnotherShapeIsAnAPIError(t *testing.T) {
	t.Parallel()
	other := []any{true, 1.0, "x", []any{}, map[string]any{}}
	for kind, text := range eventVectors(t) {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			var tree any
			require.NoError(t, json.Unmarshal(text, &tree))
			visit("", tree, func(any) {}, func(path string, old any, put func(any)) {
				defer put(old)
				for _, value := range other {
					if path == "" || reflect.TypeOf(value) == reflect.TypeOf(old) || path == "message" && value == "x" {
						continue
					}
					put(value)
					data, err := json.Marshal(tree)
					require.NoError(t, err)
					got, script := having(t, kind, data)
					failure := apiError(t, got.err)
					require.Nil(t, got.complete)
					if kind == wire.EventError {
						require.NotEmpty(t, failure.Message)
						continue
					}
					require.Equal(t, wire.CodeStreamCut, failure.Code)
					require.Contains(t, failure.Message, "sendMessageStream: the event "+kind+" cannot be read: "+path+" is a", "%v", value)
					require.Len(t, script.requests, 1, "it is not asked for again")
				}
			})
		})
	}
}

func TestAnEventWithoutWhatItIsFor(t *testing.T) {
	t.Parallel()
	for kind, member := range map[string]string{"chunk": "text", "document_chunk": "text", "chat_name": "name", "tool_call": "id", "complete": "message"} {
		for _, data := range []string{`{}`, `{"` + member + `":null}`, `{"other":5}`} {
			got, _ := having(t, kind, []byte(data))
			require.Equal(t, "sendMessageStream: the event "+kind+" cannot be read: it has no "+member, apiError(t, got.err).Message)
		}
	}
}

// Providers have objects of their own, with other things under these names.
func TestAMessageObjectIsAnyObject(t *testing.T) {
	t.Parallel()
	for _, object := range []string{`{"sources":5,"image_urls":{}}`, `{"sources":[5],"image_urls":[null]}`, `{}`} {
		client, _ := openPage(t, streamReply(stream(start(), written{event: "message_object", data: object}, chunk("a"), complete("a"), end())))
		got := outcomeOf(t, client, sdk.SendMessageOptions{})
		require.NoError(t, got.err)
		require.Equal(t, wire.JSON(object), got.events[1].Object)
	}
}

// FuzzEvent gives an event any data. What is passed on as a text is one.
func FuzzEvent(f *testing.F) {
	for kind, data := range eventVectors(f) {
		f.Add(kind, []byte(data))
	}
	for _, data := range []string{
		`{"text":5}`, `{"text":"a","text":5}`, `{"name":{}}`, `{"text":"\ud800"} `, `[]`, `{"message":"x"}`, `{"message":{"response":1}}`,
	} {
		f.Add("chunk", []byte(data))
		f.Add("document_chunk", []byte(data))
		f.Add("chat_name", []byte(data))
		f.Add("complete", []byte(data))
	}
	f.Fuzz(func(t *testing.T, kind string, data []byte) {
		if strings.ContainsAny(kind+string(data), "\r\n") {
			t.Skip()
		}
		got, _ := having(t, kind, data)
		if got.err != nil {
			require.NotEmpty(t, apiError(t, got.err).Message)
		}
		member := map[string]string{wire.EventChunk: "text", wire.EventDocumentChunk: "text", wire.EventChatName: "name"}
		for _, event := range got.events {
			require.True(t, event.Object == nil || json.Valid(event.Object))
			if event.Type != kind || member[kind] == "" {
				continue
			}
			var object map[string]any
			require.NoError(t, json.Unmarshal([]byte(strings.ToValidUTF8(string(data), "\uFFFD")), &object))
			require.IsType(t, "", object[member[kind]], "%s", data)
		}
	})
}
