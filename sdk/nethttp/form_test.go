package nethttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

const answerText = `{"message":{"id":"m2","content":"hello"},"chat_id":"c1","message_id":"m2"}`

// part is a part of a form as it arrived.
type part struct{ name, file, contentType, text string }

func readParts(r *http.Request) ([]part, error) {
	_, parameters, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil {
		return nil, err
	}
	var list []part
	reader := multipart.NewReader(r.Body, parameters["boundary"])
	for {
		p, err := reader.NextRawPart()
		if err == io.EOF {
			return list, nil
		}
		if err != nil {
			return list, err
		}
		text, err := io.ReadAll(p)
		if err != nil {
			return list, err
		}
		list = append(list, part{p.FormName(), p.FileName(), p.Header.Get("Content-Type"), string(text)})
	}
}

// formReader is a server that keeps the form it gets.
type formReader struct {
	parts  []part
	err    error
	length int64
}

func (f *formReader) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.parts, f.err = readParts(r)
	f.length = r.ContentLength
	answer(w, answerText)
}

func TestAFormArrivesUnchanged(t *testing.T) {
	t.Parallel()
	var server formReader
	client := talk(t, server.ServeHTTP)
	_, err := client.SendMessage(limited(t), "a\r\nb\n\"ü😀\"\r--", sdk.SendMessageOptions{ChatID: "c1", IsTest: true})
	require.NoError(t, err)
	require.NoError(t, server.err)
	require.Equal(t, []part{
		{"message", "", "", "a\r\nb\n\"ü😀\"\r--"}, {"project_id", "", "", "p1"}, {"tool_calls", "", "", "true"}, {"chat_id", "", "", "c1"},
		{"is_test", "", "", "true"}, {"skip_stream", "", "", "true"},
	}, server.parts)
	require.Positive(t, server.length, "a form without files has a length")
}

func TestAFormWithFilesArrivesUnchanged(t *testing.T) {
	t.Parallel()
	binary := make([]byte, 3<<20)
	for i := range binary {
		binary[i] = byte(i * 7)
	}
	var server formReader
	client := talk(t, server.ServeHTTP)
	_, err := client.SendMessage(limited(t), "hi", sdk.SendMessageOptions{Images: []sdk.File{
		{Name: "a.png", ContentType: "image/png", Content: bytes.NewReader(binary)},
		{Content: strings.NewReader("")},
		{Name: "ü \"b\"\\.png", ContentType: "image/png\r\nX-Evil: 1", Content: strings.NewReader("b")},
		{Name: "c\r\nX-Evil: 1", Content: strings.NewReader("\r\n--")},
	}})
	require.NoError(t, err)
	require.NoError(t, server.err)
	require.Equal(t, []part{
		{"message", "", "", "hi"}, {"project_id", "", "", "p1"}, {"tool_calls", "", "", "true"}, {"skip_stream", "", "", "true"},
		{"images", "a.png", "image/png", string(binary)},
		{"images", "file", "application/octet-stream", ""},
		{"images", "ü \"b\"\\.png", "image/pngX-Evil: 1", "b"},
		{"images", "c%0D%0AX-Evil: 1", "application/octet-stream", "\r\n--"},
	}, server.parts)
	require.Equal(t, int64(-1), server.length, "sent in chunks")
}

// gate returns its first bytes, waits until it is opened, and then returns the rest.
type gate struct {
	first, rest io.Reader
	opened      <-chan struct{}
}

func (g *gate) Read(p []byte) (int, error) {
	if n, err := g.first.Read(p); err != io.EOF {
		return n, err
	}
	<-g.opened
	return g.rest.Read(p)
}

func TestAFileIsSentWhileItIsRead(t *testing.T) {
	t.Parallel()
	const size = 1 << 20
	opened := make(chan struct{})
	var total int64
	client := talk(t, func(w http.ResponseWriter, r *http.Request) {
		half, err := io.CopyN(io.Discard, r.Body, size/2)
		close(opened)
		rest, err2 := io.Copy(io.Discard, r.Body)
		if errors.Join(err, err2) == nil {
			total = half + rest
		}
		answer(w, answerText)
	})
	file := &gate{bytes.NewReader(make([]byte, size)), bytes.NewReader(make([]byte, size)), opened}
	_, err := client.SendMessage(limited(t), "hi", sdk.SendMessageOptions{Images: []sdk.File{{Content: file}}})
	require.NoError(t, err)
	require.Greater(t, total, int64(2*size))
}

// endless is a file without an end.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func TestAServerThatRespondsBeforeItReadsLeavesNoGoroutine(t *testing.T) {
	leakFree(t)
	client := talk(t, func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		answer(w, `{"error":{"code":"PAYLOAD_TOO_LARGE","message":"Too large"}}`)
	})
	_, err := client.SendMessage(limited(t), "hi", sdk.SendMessageOptions{Images: []sdk.File{{Content: endless{}}}})
	var failure *sdk.APIError
	require.ErrorAs(t, err, &failure)
	// The server may close the connection before its response was read.
	require.Contains(t, []string{wire.CodePayloadTooLarge, wire.CodeNetwork}, failure.Code)
}

func TestACancelledUploadLeavesNoGoroutine(t *testing.T) {
	leakFree(t)
	arrived, release := make(chan struct{}), make(chan struct{})
	client := talk(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release // does not read, so that the upload cannot continue
	})
	ctx, cancel := context.WithCancel(limited(t))
	go func() {
		<-arrived
		cancel()
	}()
	_, err := client.SendMessage(ctx, "hi", sdk.SendMessageOptions{Images: []sdk.File{{Content: endless{}}}})
	close(release)
	require.Equal(t, context.Canceled, err)
}

func TestAFileThatCannotBeReadFailsTheCall(t *testing.T) {
	leakFree(t)
	broken := errors.New("broken")
	var server formReader
	client := talk(t, server.ServeHTTP)
	file := io.MultiReader(strings.NewReader("a"), failing{broken})
	_, err := client.SendMessage(limited(t), "hi", sdk.SendMessageOptions{Images: []sdk.File{{Content: file}}})
	require.ErrorIs(t, err, broken)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestAnAddressThatCannotBeParsedLeavesNoGoroutine(t *testing.T) {
	leakFree(t)
	_, err := new(nethttp.Transport).Do(t.Context(), &sdk.Request{
		Method: "POST", URL: "http://api.example.com/\x7f", Form: []sdk.FormField{{Name: "images", File: &sdk.File{Content: endless{}}}},
	})
	require.ErrorContains(t, err, "invalid control character in URL")
}
