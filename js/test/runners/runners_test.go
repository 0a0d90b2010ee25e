package runners_test

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
)

const folder = "js/test/runners"

// origins allows the calls of happy-dom's page: happy-dom enforces CORS.
const origins = "ALLOWED_ORIGINS=http://localhost:*"

// runners are the programs, each with what simulates the page there.
var runners = []struct {
	name string
	args []string
}{
	{"Vitest with Node's globals", []string{"node_modules/vitest/vitest.mjs", "chat.test.mjs", "words.test.mjs", "--environment", "node"}},
	{"Vitest with jsdom", []string{"node_modules/vitest/vitest.mjs", "chat.test.mjs", "words.test.mjs", "--environment", "jsdom"}},
	{"Vitest with happy-dom", []string{"node_modules/vitest/vitest.mjs", "chat.test.mjs", "words.test.mjs", "--environment", "happy-dom"}},
	{"Jest with Node's globals", []string{"--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--env=node"}},
	{"Jest with jsdom", []string{"--experimental-vm-modules", "node_modules/jest/bin/jest.js", "--env=jsdom"}},
}

// Their fetch differs: only the later one checks the class of a form.
var nodes = map[string]string{"Node 20": "node-20/bin/node", "Node 24": "node-24/bin/node"}

func TestAnApplicationsTests(t *testing.T) {
	t.Parallel()
	for name, program := range nodes {
		for _, runner := range runners {
			t.Run("run in "+runner.name+" on "+name, func(t *testing.T) {
				t.Parallel()
				picture := noise(t)
				service, model := suite.Service(t, origins), gated(t)
				command := exec.CommandContext(t.Context(), suite.File("js/test/runtimes/node_modules/"+program), runner.args...)
				command.Dir = suite.File(folder)
				command.Env = append(os.Environ(), "CI=1", "NO_COLOR=1", "IMAGE="+base64.StdEncoding.EncodeToString(picture),
					"SERVICE_URL="+service.URL, "TOKEN="+service.Token(t, "ada"), "MODEL_URL="+model.URL, "MODEL_TOKEN="+model.Token(t, "ada"))
				output, err := command.CombinedOutput()
				require.NoError(t, err, "%s", output)
				require.Equal(t, picture, stored(t, service), "the stored image")
			})
		}
	}
}

// Vue wraps plain objects in proxies, and leaves others as they are.
func TestVue(t *testing.T) {
	t.Parallel()
	service, model := suite.Service(t), gated(t)
	command := exec.CommandContext(t.Context(), "node", "node_modules/vitest/vitest.mjs", "vue.test.mjs")
	command.Dir = suite.File(folder)
	command.Env = append(os.Environ(), "CI=1", "NO_COLOR=1", "SERVICE_URL="+service.URL, "TOKEN="+service.Token(t, "ada"),
		"MODEL_URL="+model.URL, "MODEL_TOKEN="+model.Token(t, "ada"))
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// gated is a service whose model writes a second chunk after another question.
func gated(t *testing.T) *test.Service {
	model := test.NewModel(t)
	gate := make(chan struct{})
	model.On("gated", func(a *test.Answer) { a.Text("one ").Wait(gate); a.Text("two").Finish("stop") })
	model.On("open the gate", func(a *test.Answer) {
		if model.Calls("open the gate") == 1 {
			close(gate)
		}
		a.Text("open").Finish("stop")
	})
	return suite.Service(t, append(model.Env(), origins)...)
}

// noise is a picture of every kind of byte.
func noise(t *testing.T) []byte {
	picture := image.NewNRGBA(image.Rect(0, 0, 64, 48))
	for i := range picture.Pix {
		picture.Pix[i] = byte(rand.Uint32())
	}
	var encoded bytes.Buffer
	require.NoError(t, png.Encode(&encoded, picture))
	return encoded.Bytes()
}

// stored returns the one image that ada sent.
func stored(t *testing.T, service *test.Service) []byte {
	t.Helper()
	client, err := nethttp.NewClient(sdk.Config{BaseURL: service.URL, ProjectID: test.Project, APIKey: test.APIKey, APISecret: test.APISecret, UserID: "ada"})
	require.NoError(t, err)
	chats, err := client.ListChats(t.Context(), sdk.ListChatsOptions{})
	require.NoError(t, err)
	var addresses []string
	for _, one := range chats.Chats {
		history, err := client.GetChatHistory(t.Context(), one.ChatID, sdk.GetChatHistoryOptions{})
		require.NoError(t, err)
		addresses = append(addresses, history.Messages[0].ImageURLs...)
	}
	require.Len(t, addresses, 1)
	response, err := http.Get(addresses[0])
	require.NoError(t, err)
	defer response.Body.Close()
	var content bytes.Buffer
	_, err = content.ReadFrom(response.Body)
	require.NoError(t, err)
	return content.Bytes()
}
