package sdk_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The page does not pass such a response to the program, so the core must return it unchanged.
func TestAResponseThatPassesIsReturnedUnchanged(t *testing.T) {
	t.Parallel()
	came := `{"response":"r", "n":1,"memories":[],` + wholeAnswer[1:]
	passes := 0
	for _, m := range sdk.Calls() {
		if m.Passes() == "" {
			continue
		}
		passes++
		came := came
		if strings.Contains(m.Passes(), `"message":""`) { // in other answers it is an object
			came = strings.Replace(came, `"message":{"id":"m2","content":"a"}`, `"message":"done"`, 1)
		}
		client, _ := openPage(t, jsonReply(came))
		values := make([]string, len(m.Arguments)+1) // one more for the key
		for i, argument := range m.Arguments {
			switch m.Kind(argument) {
			case jsontext.String:
				values[i] = "id"
			case jsontext.Number:
				values[i] = "1"
			}
			switch argument {
			case "status", "type":
				values[i] = ""
			case "memoryType":
				values[i] = wire.MemoryFact
			case "action":
				values[i] = wire.ActionApprove
			case "arguments":
				values[i] = "{}"
			case "memoryIds":
				values[i] = `["id"]`
			case "chatId":
				if m.Operation == "memoriesOfSource" { // it takes either a message or a chat
					values[i] = ""
				}
			}
		}
		got, err := client.CallJSON(t.Context(), m, values...)
		require.NoError(t, err, m.Operation)
		require.Equal(t, came, string(got), m.Operation)
	}
	require.Positive(t, passes)
}
