package main_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	main "github.com/chatsdk/chatsdk/service"
)

// busy is a service that has a document of a.md, and refuses deletions for their
// rate at first.
type busy struct{ refusals, deletions int }

func (b *busy) RoundTrip(r *http.Request) (*http.Response, error) {
	status, header, body := 200, http.Header{}, `{"total":2,"docs":[
		{"content_key":"old","status":"synced","metadata":{"path":"a.md","sha256":"1"}},
		{"content_key":"new","status":"synced","metadata":{"path":"b.md","sha256":"2"}}]}`
	switch {
	case strings.HasSuffix(r.URL.Path, "/add/file"):
		body = `{"document_key":"new"}`
	case r.Method == http.MethodDelete && b.refusals > 0:
		b.refusals--
		header.Set("Retry-After", "7")
		status, body = 429, `{"status_code":429,"error":{"code":"RATE_LIMITED","message":"Too many"}}`
	case r.Method == http.MethodDelete:
		b.deletions++
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
}

// The service counts an import's deletions like anybody's.
func TestImportWaitsForItsRate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		begun, service := time.Now(), &busy{refusals: 3}
		said, err := main.Import(t.Context(), service, "a.md", "changed")
		require.NoError(t, err)
		require.Equal(t, "replaced   a.md\n", said)
		require.Equal(t, 1, service.deletions)
		require.Equal(t, 21*time.Second, time.Since(begun))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = main.Import(ctx, &busy{refusals: 3}, "a.md", "changed")
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}
