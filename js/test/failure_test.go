package test_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// failure is an error in the form of kit.describe.
type failure struct {
	Name          string   `json:"name"`
	Message       string   `json:"message"`
	Advice        string   `json:"advice"`
	Status        int      `json:"status"`
	Code          string   `json:"code"`
	Detail        string   `json:"detail"`
	RequestID     string   `json:"requestId"`
	InvalidFields []string `json:"invalidFields"`
	RetryAfter    float64  `json:"retryAfter"`
	Cause         string   `json:"cause"`
	IsError       bool     `json:"isError"`
	IsAPIError    bool     `json:"isAPIError"`
}

// streamed is what kit.stream returns.
type streamed struct {
	// Heard are the callbacks that were called, each with its arguments.
	Heard [][]json.RawMessage `json:"heard"`
	Names []string            `json:"names"`
	Text  string              `json:"text"`
	// Outcome is "resolved", or the error of the promise.
	Outcome any `json:"outcome"`
}

// failed is the error that onError got.
func (s streamed) failed(t *testing.T) failure {
	t.Helper()
	for i, name := range s.Names {
		if name == "onError" {
			return heardAs[failure](t, s, i)
		}
	}
	require.Fail(t, "onError was not called", "the callbacks were %v", s.Names)
	return failure{}
}

// requireCompleted checks that a stream ended as it should.
func requireCompleted(t *testing.T, s streamed) {
	t.Helper()
	require.Equal(t, "resolved", s.Outcome)
	if slices.Contains(s.Names, "onError") {
		require.Fail(t, "the stream failed", "%+v", s.failed(t))
	}
	require.Equal(t, 1, count(s.Names, "onComplete"))
	require.Equal(t, 1, count(s.Names, "onMessageEnd"))
	require.Equal(t, []string{"onComplete", "onMessageEnd"}, s.Names[len(s.Names)-2:])
}

// heardAs returns what callback number i got.
func heardAs[T any](t *testing.T, s streamed, i int) T {
	t.Helper()
	require.Len(t, s.Heard[i], 2, "a callback gets one value")
	var value T
	require.NoError(t, json.Unmarshal(s.Heard[i][1], &value))
	return value
}

// requireAPIError checks what every APIError has.
func requireAPIError(t *testing.T, f failure, status int, code string) {
	t.Helper()
	require.Equal(t, "APIError", f.Name)
	require.True(t, f.IsAPIError, "instanceof ChatSDK.APIError")
	require.True(t, f.IsError)
	require.NotEmpty(t, f.Message)
	require.Equal(t, status, f.Status)
	require.Equal(t, code, f.Code)
}
