package sdk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

// readVectors reads a list of testdata, whose README says what stands in it.
func readVectors[T any](t testing.TB, file string) []T {
	t.Helper()
	data, err := os.Open(filepath.Join("testdata", file))
	require.NoError(t, err)
	defer data.Close()
	decoder := json.NewDecoder(data)
	decoder.DisallowUnknownFields()
	var list []T
	require.NoError(t, decoder.Decode(&list))
	require.NotEmpty(t, list)
	return list
}

// wrong is the error that a vector wants; nil wants none.
type wrong *struct {
	Field string `json:"field"`
}

// goAsWell tells whether a vector holds in Go.
func goAsWell(flag *bool) bool { return flag == nil || *flag }

type configVector struct {
	Name   string `json:"name"`
	Config struct {
		BaseURL     string `json:"baseUrl"`
		ProjectID   string `json:"projectId"`
		APIKey      string `json:"apiKey"`
		APISecret   string `json:"apiSecret"`
		UserID      string `json:"userId"`
		AccessToken string `json:"accessToken"`
	} `json:"config"`
	Error wrong `json:"error"`
	Go    *bool `json:"go"`
}

func (v configVector) config() sdk.Config {
	return sdk.Config{
		BaseURL: v.Config.BaseURL, ProjectID: v.Config.ProjectID, APIKey: v.Config.APIKey, APISecret: v.Config.APISecret,
		UserID: v.Config.UserID, AccessToken: v.Config.AccessToken,
	}
}

func TestConfigVectors(t *testing.T) {
	t.Parallel()
	for _, v := range readVectors[configVector](t, "config.json") {
		if !goAsWell(v.Go) {
			continue
		}
		t.Run(v.Name, func(t *testing.T) {
			t.Parallel()
			config := v.config()
			config.Transport = &script{}
			client, err := sdk.New(config)
			if v.Error == nil {
				require.NoError(t, err)
				return
			}
			require.Nil(t, client)
			requireArgument(t, err, "ChatSDK", v.Error.Field)
			require.NotContains(t, err.Error(), "secret-1")
			require.NotContains(t, err.Error(), "token-1")
		})
	}
}

// requireArgument holds err to be the *ArgumentError of that field, with a text
// that names it.
func requireArgument(t *testing.T, err error, operation, field string) {
	t.Helper()
	argument := argumentError(t, err)
	require.Equal(t, operation, argument.Operation)
	require.Equal(t, field, argument.Field)
	require.Regexp(t, "^"+operation+": "+field+" .", err.Error())
}

func TestConfigOfGo(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(*sdk.Config)
		field  string
	}{
		{"no Transport", func(c *sdk.Config) { c.Transport = nil }, "Transport"},
		{"a token function beside an API key", func(c *sdk.Config) {
			c.AccessToken, c.AccessTokenFunc, c.APIKey, c.APISecret = "", giveToken("t"), "k", "s"
		}, "accessToken"},
		{"a user beside a token function", func(c *sdk.Config) {
			c.AccessToken, c.AccessTokenFunc, c.UserID = "", giveToken("t"), "u1"
		}, "userId"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			config := pageConfig()
			config.Transport = &script{}
			test.change(&config)
			_, err := sdk.New(config)
			requireArgument(t, err, "ChatSDK", test.field)
		})
	}
}
