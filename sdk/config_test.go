package sdk_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
)

// readVectors reads a list from testdata; the README there describes the files.
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

// wrong is the error that a vector expects, nil if it expects none.
type wrong *struct {
	Field string `json:"field"`
}

// goAsWell reports whether a vector applies to Go.
func goAsWell(flag *bool) bool { return flag == nil || *flag }

type configVector struct {
	Name   string          `json:"name"`
	Config json.RawMessage `json:"config"`
	Error  wrong           `json:"error"`
	Go     *bool           `json:"go"`
}

// config converts a JavaScript configuration to Go.
func (v configVector) config(t *testing.T) sdk.Config {
	var c struct {
		BaseURL, ProjectID, APIKey, APISecret, UserID, AccessToken string
		Headers                                                    map[string]string

		MaxRetries                        int
		RetryDelay, Timeout, StallTimeout int64
	}
	require.NoError(t, json.Unmarshal(v.Config, &c))
	milliseconds := func(n int64) time.Duration { return time.Duration(min(n, 1<<31)) * time.Millisecond }
	return sdk.Config{
		BaseURL: c.BaseURL, ProjectID: c.ProjectID, APIKey: c.APIKey, APISecret: c.APISecret,
		UserID: c.UserID, AccessToken: c.AccessToken, Headers: c.Headers, MaxRetries: c.MaxRetries,
		RetryDelay: milliseconds(c.RetryDelay), Timeout: milliseconds(c.Timeout), StallTimeout: milliseconds(c.StallTimeout),
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
			config := v.config(t)
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

// requireArgument checks that err is an *ArgumentError for the field, and that its text names the field.
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
		{"a token function as well as an API key", func(c *sdk.Config) {
			c.AccessToken, c.AccessTokenFunc, c.APIKey, c.APISecret = "", giveToken("t"), "k", "s"
		}, "accessToken"},
		{"a user as well as a token function", func(c *sdk.Config) {
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
