package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
)

// seen is the effect of a send: what the provider received, what is stored, and
// what the page sees.
type seen struct {
	// System is the system prompt and what the question has beside it, without the introductions of the parts; Messages are the others,
	// with a + for each image.
	Model    string
	System   string
	Messages string

	// Options are stored with the question. Metadata, IsTest and the number of its images are in
	// the history. Examined reports whether it waits to be examined for memories, Counted whether
	// its answer counts.
	Options  string
	Metadata string
	IsTest   bool
	Images   int
	Examined bool
	Counted  bool

	// NewChat reports whether it made a chat.
	NewChat   bool
	Stream    bool
	Content   string
	AgentID   string
	ModelName string
	Sources   int
	Lookups   string
}

// option is an option of a message in one of its states: unset, false, empty
// or set. It changes what is seen, or is refused.
type option struct {
	name   string
	fields []field
	change func(*seen)
	// code and reason are the refusal's.
	code, reason string
}

// text is a field of the form.
func text(name, value string) []field { return []field{{name: name, value: value}} }

// options are the fourteen fields of SendMessageOptions. The SDK sends no field for an unset
// option, a false flag or an empty text, except useKnowledgebase and documentKeys, where these mean
// something.
var options = []option{
	{name: "all unset"},

	{name: "chatId empty", fields: text("chat_id", ""), code: wire.CodeValidation, reason: "chat_id is empty"},
	// chatId set: every row but "chatId unset" below is.
	{name: "chatId unknown", fields: text("chat_id", "chat_x"), code: wire.CodeNotFound, reason: "Chat not found"},

	{name: "agentType empty", fields: text("agent_type", ""), code: wire.CodeValidation, reason: "agent_type is empty"},
	{name: "agentType set", fields: text("agent_type", "chat_agent"), change: func(s *seen) { s.Options = `{"agent_type":"chat_agent"}` }},
	{name: "agentType unknown", fields: text("agent_type", "poet"), code: wire.CodeValidation, reason: "chat_agent"},

	{name: "agentId empty", fields: text("agent_id", ""), code: wire.CodeValidation, reason: "agent_id is empty"},
	{name: "agentId set", fields: text("agent_id", "clerk"), change: func(s *seen) {
		s.Options, s.AgentID, s.System = `{"agent_id":"clerk"}`, "clerk", "File it."
		s.Model, s.ModelName, s.Examined = "small", "small", false
	}},
	{name: "agentId unknown", fields: text("agent_id", "nobody"), code: wire.CodeNotFound, reason: "Agent not found"},

	{name: "agentType of documents", fields: text("agent_type", "document_agent"), change: func(s *seen) {
		s.Options, s.Sources, s.Lookups = `{"agent_type":"document_agent"}`, 2, "Looking in 2 documents"
		s.System += ` <passage n="1" of="Hers"> | She lives in Rome. </passage> <passage n="2" of="House"> | The house stands in Rome. </passage>`
	}},

	{name: "documentKeys empty", fields: text("document_keys", "[]"), change: func(s *seen) {
		s.Options, s.Lookups = `{"document_keys":[]}`, "There are no documents to look in"
	}},
	{name: "documentKeys set", fields: text("document_keys", `["{house}"]`), change: func(s *seen) {
		s.Options, s.Sources, s.Lookups = `{"document_keys":["{house}"]}`, 1, "Looking in one document"
		s.System += ` <passage n="1" of="House"> | The house stands in Rome. </passage>`
	}},
	{name: "documentKeys set without useKnowledgebase", fields: append(text("document_keys", `["{house}"]`), field{name: "use_knowledgebase", value: "false"}), change: func(s *seen) {
		s.Options = `{"use_knowledgebase":false,"document_keys":["{house}"]}`
	}},
	{name: "documentKeys of another user", fields: text("document_keys", `["{house}","{his}"]`), code: wire.CodeNotFound, reason: "Document not found"},
	{name: "documentKeys unknown", fields: text("document_keys", `["doc_x"]`), code: wire.CodeNotFound, reason: "Document not found"},

	// images empty: no part, the same as unset.
	{name: "images set", fields: []field{file("a.png", imagetest.PNG(2, 3)), file("a.png", imagetest.GIF(1, 1))}, change: func(s *seen) {
		s.Messages += "++"
		s.Images = 2
	}},
	{name: "images of another kind", fields: []field{file("a.png", []byte(imagetest.SVG))}, code: wire.CodeValidation, reason: "image 1 is not a PNG"},

	{name: "metadata empty", fields: text("request_metadata", "{}"), change: func(s *seen) { s.Metadata = "{}" }},
	{name: "metadata set", fields: text("request_metadata", `{"a": [1.50]}`), change: func(s *seen) { s.Metadata = `{"a":[1.50]}` }},

	{name: "modelName empty", fields: text("model_name", ""), code: wire.CodeValidation, reason: "model_name is empty"},
	{name: "modelName set", fields: text("model_name", "small"), change: func(s *seen) {
		s.Options, s.Model, s.ModelName = `{"model_name":"small"}`, "small", "small"
	}},
	{name: "modelName unknown", fields: text("model_name", "gpt-0"), code: wire.CodeValidation, reason: "want one of large, small"},

	{name: "useKnowledgebase false", fields: text("use_knowledgebase", "false"), change: func(s *seen) { s.Options = `{"use_knowledgebase":false}` }},
	{name: "useKnowledgebase empty", fields: text("use_knowledgebase", ""), code: wire.CodeValidation, reason: "use_knowledgebase must be true or false"},
	{name: "useKnowledgebase set", fields: text("use_knowledgebase", "true"), change: func(s *seen) {
		s.Options, s.Sources, s.Lookups = `{"use_knowledgebase":true}`, 2, "Looking in 2 documents"
		s.System += ` <passage n="1" of="Hers"> | She lives in Rome. </passage> <passage n="2" of="House"> | The house stands in Rome. </passage>`
	}},

	{name: "isTest false", fields: text("is_test", "false")},
	{name: "isTest empty", fields: text("is_test", ""), code: wire.CodeValidation, reason: "is_test must be true or false"},
	{name: "isTest set", fields: text("is_test", "true"), change: func(s *seen) { s.IsTest, s.Examined, s.Counted = true, false, false }},

	{name: "googleSearch false", fields: text("google_search", "false")},
	{name: "googleSearch empty", fields: text("google_search", ""), code: wire.CodeValidation, reason: "google_search must be true or false"},
	{name: "googleSearch set", fields: text("google_search", "true"), change: func(s *seen) {
		s.Options = `{"google_search":true}` // the answer draws on none of the results
		s.System += ` <web_results> | {"title":"Of I live in Rome","url":"https://a.example/","snippet":"S"} </web_results>`
		s.Lookups = "Searching the web for “I live in Rome”"
	}},

	{name: "formatInstructions empty", fields: text("format_instructions", ""), code: wire.CodeValidation, reason: "format_instructions is empty"},
	{name: "formatInstructions set", fields: text("format_instructions", "Short.\nNo lists."), change: func(s *seen) {
		s.Options = `{"format_instructions":"Short.\nNo lists."}`
		s.System += " > Short. > No lists."
	}},

	{name: "ignoreChatHistory false", fields: text("ignore_chat_history", "false")},
	{name: "ignoreChatHistory empty", fields: text("ignore_chat_history", ""), code: wire.CodeValidation, reason: "ignore_chat_history must be true or false"},
	{name: "ignoreChatHistory set", fields: text("ignore_chat_history", "true"), change: func(s *seen) {
		s.Options, s.Messages = `{"ignore_chat_history":true}`, "user: I live in Rome"
	}},

	{name: "exampleJson empty", fields: text("example_json", ""), code: wire.CodeValidation, reason: "example_json is empty"},
	{name: "exampleJson set", fields: text("example_json", `{"a": 1}`), change: func(s *seen) {
		s.Options, s.Content = `{"example_json":"{\"a\": 1}"}`, `{"a": 2}`
		s.System += ` > {"a": 1}`
	}},
	{name: "exampleJson invalid", fields: text("example_json", "a"), code: wire.CodeValidation, reason: "example_json must be"},

	{name: "skipStream false", fields: text("skip_stream", "false")},
	{name: "skipStream empty", fields: text("skip_stream", ""), code: wire.CodeValidation, reason: "skip_stream must be true or false"},
	{name: "skipStream set", fields: text("skip_stream", "true"), change: func(s *seen) { s.Stream = false }},
}

// recorded is a model that records its last request, and draws on every passage.
type recorded struct{ prompt answering.Prompt }

func (r *recorded) script() script {
	return func(_ context.Context, prompt answering.Prompt) iter.Seq2[answering.Piece, error] {
		r.prompt = prompt
		drawn := []wire.Source{}
		for _, hit := range prompt.Passages {
			drawn = append(drawn, answering.Source(hit))
		}
		return say(answering.Piece{Sources: drawn}, answering.Piece{Text: "```json\n"},
			answering.Piece{Text: `{"a": 2}` + "\n```", FinishReason: wire.FinishStop})(nil, prompt)
	}
}

// finder is a web search that finds what it is asked for.
type finder struct{}

func (finder) Search(_ context.Context, query string) ([]answering.Result, error) {
	return []answering.Result{{Title: "Of " + query, URL: "https://a.example/", Snippet: "S"}}, nil
}

// startWithOptions returns the service and functions that turn the names of its documents into
// keys, and back.
func startWithOptions(t *testing.T, model *recorded) (s *service, keys, names *strings.Replacer) {
	on := true
	s = start(t, func(up *setup) {
		up.provider, up.chat.Structured, up.chat.Searcher = model.script(), true, finder{}
		up.chat.Agents = []answering.Agent{{ID: "assistant", Name: "Assistant", Instructions: "Assist."},
			{ID: "clerk", Name: "Clerk", Instructions: "File it.", Model: "small"}}
		up.memory.Defaults = map[string]wire.MemorySettings{"assistant": {MemoryEnabled: &on}}
	})
	house := s.upload(asServer(), "a.md", "# House\n\nThe house stands in Rome.")
	hers := s.upload(as("ann"), "b.md", "# Hers\n\nShe lives in Rome.")
	his := s.upload(as("bob"), "c.md", "# His\n\nHe lives in Rome. I live in Rome.")
	s.readDue()
	return s, strings.NewReplacer("{house}", house, "{hers}", hers, "{his}", his), strings.NewReplacer(house, "{house}", hers, "{hers}", his, "{his}")
}

func TestOptions(t *testing.T) {
	t.Parallel()
	for _, test := range options {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			model := &recorded{}
			s, keys, names := startWithOptions(t, model)
			chatID := decode[wire.SendMessageResponse](t, s.send(as("ann"))).ChatID
			before := s.everything()
			fields := append(text("chat_id", chatID), test.fields...)
			for i := range fields {
				fields[i].value = keys.Replace(fields[i].value)
			}
			if strings.HasPrefix(test.name, "chatId") {
				fields = test.fields
			}
			w := s.sendSaying("I live in Rome", fields)
			if test.code != "" {
				require.GreaterOrEqual(t, w.Code, 400)
				body := decode[wire.ErrorBody](t, w)
				require.Equal(t, test.code, body.Error.Code)
				require.Contains(t, body.Error.Message, test.reason)
				require.Equal(t, before, s.everything(), "nothing is stored")
				return
			}
			want := usual()
			if test.change != nil {
				test.change(&want)
			}
			got, id := s.look(w, model)
			got.Options = names.Replace(got.Options)
			require.Equal(t, want, got)
			require.Equal(t, chatID, id)

			first := model.prompt
			s.do("POST", "/v3/chat/message/regenerate", as("ann").json(), fmt.Sprintf(`{"project_id":"demo","chat_id":%q,"message_id":%q}`, id, s.lastAnswer(id)))
			require.Equal(t, first, model.prompt, "regenerated in the same way")
		})
	}
	t.Run("chatId unset", func(t *testing.T) {
		t.Parallel()
		model := &recorded{}
		s, _, _ := startWithOptions(t, model)
		want := usual()
		want.NewChat, want.Messages = true, "user: I live in Rome"
		got, _ := s.look(s.sendSaying("I live in Rome", nil), model)
		require.Equal(t, want, got)
	})
}

// usual is the effect of a message without options.
func usual() seen {
	const content = "```json\n{\"a\": 2}\n```"
	return seen{
		Model: "large", System: "Assist.", Messages: "user: Hi | assistant: " + content + " | user: I live in Rome",
		Options: "{}", Examined: true, Counted: true,
		Stream: true, Content: content, AgentID: "assistant", ModelName: "large",
	}
}

func (s *service) sendSaying(message string, fields []field) *httptest.ResponseRecorder {
	all := append(text("message", message), field{name: "project_id", value: project})
	return s.post(as("ann").with("accept", "text/event-stream"), form(s.t, append(all, fields...)...))
}

func (s *service) lastAnswer(chatID string) string {
	messages := s.historyOf(chatID)
	return messages[len(messages)-1].ID
}

func (s *service) historyOf(chatID string) []wire.Message {
	return decode[wire.ChatHistoryResponse](s.t, s.do("GET", "/project/demo/chat/"+chatID+"/all", as("ann"), "")).Messages
}

// look gathers the effects of a send.
func (s *service) look(w *httptest.ResponseRecorder, model *recorded) (got seen, chatID string) {
	require.Equal(s.t, 200, w.Code, w.Body)
	page := s.page(w, &got)
	messages := s.historyOf(page.ChatID)
	question, answer := messages[len(messages)-2], messages[len(messages)-1]
	require.Equal(s.t, page, answer, "the history has what the page saw")
	stored, err := s.store.SendOptions(s.t.Context(), question.ID)
	require.NoError(s.t, err)
	jobs, err := s.store.Jobs(s.t.Context(), float64(noon.Unix()+1), 100)
	require.NoError(s.t, err)
	for _, job := range jobs {
		got.Examined = got.Examined || job.MessageID == question.ID
	}
	var asked []string
	prompt, told := model.prompt, model.prompt.System
	for i, message := range prompt.Messages {
		said := message.Text
		if i == len(prompt.Messages)-1 {
			beside, _ := strings.CutSuffix(said, prompt.Question)
			told, said = told+"\n"+beside, prompt.Question
		}
		asked = append(asked, message.Role+": "+said+strings.Repeat("+", len(message.Images)))
	}
	got.Model, got.Messages, got.System = prompt.Model, strings.Join(asked, " | "), withoutIntroductions(told)
	got.Options, got.Metadata, got.IsTest, got.Images = string(stored), string(question.Metadata), question.IsTest, len(question.ImageURLs)
	got.Counted = strings.Contains(s.do("GET", "/metrics", asServer(), "").Body.String(), fmt.Sprintf(`chatsdk_answers_total{outcome="stop"} %d`, len(messages)/2))
	got.NewChat = len(messages) == 2
	return got, page.ChatID
}

// introductions begin the sentences that introduce a part, and the tags around what the question has beside it.
var introductions = []string{
	"The user asks for", "Answer with JSON", "What a web search", "Passages of documents", "Answer in the language", "Today is", "The service added",
	"<context", "</context",
}

var marks = regexp.MustCompile(` mark="[0-9a-f]{8}"`)

// withoutIntroductions leaves out the sentences that introduce a part, and the marks.
func withoutIntroductions(told string) string {
	var kept []string
	for line := range strings.Lines(told) {
		line = strings.TrimSpace(line)
		if line == "" || slices.ContainsFunc(introductions, func(begin string) bool { return strings.HasPrefix(line, begin) }) {
			continue
		}
		kept = append(kept, marks.ReplaceAllString(line, ""))
	}
	return strings.Join(kept, " ")
}

// page is the message that the page gets in the end, and the events before it.
func (s *service) page(w *httptest.ResponseRecorder, got *seen) (message wire.Message) {
	if got.Stream = w.Header().Get("Content-Type") == "text/event-stream"; !got.Stream {
		message = decode[wire.SendMessageResponse](s.t, w).Message
	}
	for block := range strings.SplitSeq(w.Body.String(), "\n\n") {
		_, event, _ := strings.Cut(block, "\nevent: ")
		name, data, _ := strings.Cut(event, "\ndata: ")
		switch name {
		case wire.EventComplete:
			var complete wire.Complete
			require.NoError(s.t, json.Unmarshal([]byte(data), &complete))
			message = complete.Message
		case wire.EventDocumentChunk:
			var lookup wire.Text
			require.NoError(s.t, json.Unmarshal([]byte(data), &lookup))
			got.Lookups += lookup.Text
		}
	}
	got.Content, got.AgentID, got.ModelName, got.Sources = message.Content, message.AgentID, message.ModelName, len(message.Sources)
	return message
}
