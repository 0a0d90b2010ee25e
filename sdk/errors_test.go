package sdk_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

type errorVector struct {
	Name    string            `json:"name"`
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Body    string            `json:"body"`
	Bytes   []byte            `json:"bytes"`
	Times   int               `json:"times"`
	Want    struct {
		Message       string   `json:"message"`
		Status        int      `json:"status"`
		Code          string   `json:"code"`
		Reason        string   `json:"reason"`
		Detail        string   `json:"detail"`
		RequestID     string   `json:"request_id"`
		InvalidFields []string `json:"invalid_fields"`
		RetryAfter    int      `json:"retry_after"`
	} `json:"want"`
}

func (v errorVector) body() string {
	if v.Bytes != nil {
		return string(v.Bytes)
	}
	return strings.Repeat(v.Body, max(v.Times, 1))
}

func TestErrorVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors[errorVector](t, "errors.json") {
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			client, _ := openPage(t, reply{status: v.Status, header: v.Headers, body: reads(v.body())})
			_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
			require.Equal(t, &sdk.APIError{
				Message: v.Want.Message, Status: v.Want.Status, Code: v.Want.Code, Reason: v.Want.Reason, Detail: v.Want.Detail,
				RequestID: v.Want.RequestID, InvalidFields: v.Want.InvalidFields,
				RetryAfter: time.Duration(v.Want.RetryAfter) * time.Second,
			}, err)
			require.NotContains(t, strings.ToLower(err.Error()), "<")
		})
	}
}

func TestTheTextOfAnAPIError(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	tests := []struct {
		name    string
		failure sdk.APIError
		want    string
	}{
		{"with a status and a code", sdk.APIError{Message: "Chat not found", Status: 404, Code: "ENTITY_NOT_FOUND"}, "Chat not found (404 ENTITY_NOT_FOUND)"},
		{"with a status", sdk.APIError{Message: "Not found", Status: 404}, "Not found (404)"},
		{"with a code", sdk.APIError{Message: "lost", Code: "NETWORK"}, "lost (NETWORK)"},
		{"with neither", sdk.APIError{Message: "lost", Detail: "d", Cause: cause}, "lost"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			require.EqualError(t, &test.failure, test.want)
			require.Equal(t, test.failure.Cause, errors.Unwrap(&test.failure))
		})
	}
}

func TestAnErrorTooLargeToReadKeepsItsStatus(t *testing.T) {
	t.Parallel()
	client, _ := openPage(t, reply{status: 502, header: map[string]string{"content-type": "text/html"}, body: tooMuch()})
	_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
	require.Equal(t, &sdk.APIError{
		Message: "listChats: the server answered 502 with a web page instead of JSON; check baseUrl and any proxy in between", Status: 502,
	}, err)
}

func TestAnAnswerTooLargeToRead(t *testing.T) {
	t.Parallel()
	client, script := openPage(t, reply{header: map[string]string{"x-request-id": "r"}, body: tooMuch()})
	_, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
	require.Equal(t, &sdk.APIError{
		Message: "listChats: the answer has more than 67108864 bytes", Status: 200, RequestID: "r",
		Advice: "ask for less: getChatHistory and the lists take a limit, getDocument takes start and end",
	}, err)
	require.LessOrEqual(t, len(script.bodies[0].left), 6, "what was left unread, of 70 MiB")
	require.GreaterOrEqual(t, len(script.bodies[0].left), 5)
}

// tooMuch is a body of 70 MiB.
func tooMuch() *body {
	b, part := &body{}, make([]byte, 1<<20)
	for range 70 {
		b.left = append(b.left, part)
	}
	return b
}
