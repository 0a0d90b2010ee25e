package openai_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
)

func TestABadConfigurationSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	const good = "http://127.0.0.1:1/v1"
	tests := []struct {
		name   string
		config openai.Config
		want   string
	}{
		{"no address", openai.Config{}, "the base URL is missing"},
		{"a control character in the address", openai.Config{BaseURL: "http://a\nhunter2"}, "the base URL is not an address"},
		{"a port that is a word", openai.Config{BaseURL: "http://a:hunter2"}, "the base URL is not an address"},
		{"no scheme", openai.Config{BaseURL: "api.openai.com/v1"}, `the scheme "", want http:// or https://`},
		{"another scheme", openai.Config{BaseURL: "ftp://api.openai.com"}, `the scheme "ftp"`},
		{"a host without a scheme", openai.Config{BaseURL: "localhost:11434/v1"}, `the scheme "localhost"`},
		{"no host", openai.Config{BaseURL: "https:///v1"}, "no host"},
		{"a port without a host", openai.Config{BaseURL: "https://:443/v1"}, "no host"},
		{"a password in the address", openai.Config{BaseURL: "https://me:hunter2@api.openai.com"}, "holds credentials"},
		{"a query", openai.Config{BaseURL: good + "?key=hunter2"}, "a query or a fragment"},
		{"a question mark", openai.Config{BaseURL: good + "?"}, "a query or a fragment"},
		{"a fragment", openai.Config{BaseURL: good + "#hunter2"}, "a query or a fragment"},
		{"a key with a line end", openai.Config{BaseURL: good, APIKey: "hunter2\n"}, "the API key holds"},
		{"a key with a space", openai.Config{BaseURL: good, APIKey: "Bearer hunter2"}, "the API key holds"},
		{"a key that is not ASCII", openai.Config{BaseURL: good, APIKey: "hunter2…"}, "the API key holds"},
		{"a timeout below 0", openai.Config{BaseURL: good, Timeout: -time.Second}, "the timeout is -1s, want more than 0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			_, err := openai.New(test.config)
			require.ErrorContains(t, err, test.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestEveryFormOfAnAddressFindsTheEndpoint(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, suffix, path string }{
		{"a path", "/v1", "/v1/chat/completions"},
		{"a path with a slash", "/v1/", "/v1/chat/completions"},
		{"a longer path", "/proxy/openai/v1", "/proxy/openai/v1/chat/completions"},
		{"no path", "", "/chat/completions"},
		{"a slash", "/", "/chat/completions"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			m := newModel(t, says(piece(`"x"`), ends("stop")))
			p := m.provider(t, func(c *openai.Config) { c.BaseURL = m.URL + test.suffix })
			require.NoError(t, read(t, p.Answer(t.Context(), question("Hello?"))).err)
			require.Equal(t, test.path, m.asked()[0].path)
		})
	}
}
