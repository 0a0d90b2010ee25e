package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// rival is a process that is measured, with a client of it.
type rival struct {
	url    string
	client *http.Client
	// stop ends what is measured.
	stop func() error
}

// startFunc starts a rival of a kind in an empty folder.
type startFunc func(ctx context.Context, kind, folder string) (*rival, error)

// start starts it as a process. The caller closes it.
func start(ctx context.Context, kind, folder string) (*rival, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	process := exec.CommandContext(ctx, program, serveSubcommand, kind, folder)
	process.Stderr = os.Stderr
	input, err := process.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := process.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := process.Start(); err != nil {
		return nil, err
	}
	r := &rival{client: newClient(), stop: func() error { return errors.Join(input.Close(), process.Wait()) }}
	line, err := bufio.NewReader(output).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the %s did not start: %w", kind, err), r.close())
	}
	r.url = strings.TrimSpace(line)
	return r, nil
}

// newClient keeps as many connections as there are streams.
func newClient() *http.Client {
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: maxConnections, DisableCompression: true}}
}

const maxConnections = 20_000

func (r *rival) close() error {
	r.client.CloseIdleConnections()
	return r.stop()
}

// pair starts both, the bare one with an answer of the service.
func pair(ctx context.Context, folder string, start startFunc) (service, bare *rival, err error) {
	for _, kind := range []string{ofService, ofBare} {
		if err := os.MkdirAll(filepath.Join(folder, kind), 0o700); err != nil {
			return nil, nil, err
		}
	}
	service, err = start(ctx, ofService, filepath.Join(folder, ofService))
	if err != nil {
		return nil, nil, err
	}
	answer, err := service.ask(ctx, newUser(0), question)
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, ofBare, recording), answer, 0o600)
	}
	if err == nil {
		bare, err = start(ctx, ofBare, filepath.Join(folder, ofBare))
	}
	if err != nil {
		return nil, nil, errors.Join(err, service.close())
	}
	return service, bare, nil
}

// user sends with a token, as a page does.
type user struct{ authorization string }

func newUser(n int) user {
	token, err := httpapi.MintToken(apiConfig(), wire.AccessTokenRequest{UserID: fmt.Sprint("user", n)})
	if err != nil {
		panic(err) // constants of our own; a fault of the program
	}
	return user{"Bearer " + token.AccessToken}
}

// question is one that the embedded agent answers only with words.
const question = "How many words are in this question, and what else can you do for me?"

// send begins an answer in a new chat. The caller closes its body.
func (r *rival) send(ctx context.Context, from user, question string) (*http.Response, error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField(wire.FieldMessage, question) // to a buffer
	_ = form.WriteField(wire.FieldProjectID, project)
	_ = form.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url+"/v3/chat/message", &body)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Accept", "text/event-stream")
	request.Header.Set("Authorization", from.authorization)
	request.Header.Set("Idempotency-Key", rand.Text()) // as every message of the SDK
	response, err := r.client.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		return nil, errors.Join(fmt.Errorf("a message was answered with status %d: %s", response.StatusCode, text), response.Body.Close())
	}
	return response, nil
}

// ask sends and reads the whole answer.
func (r *rival) ask(ctx context.Context, from user, question string) ([]byte, error) {
	response, err := r.send(ctx, from, question)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err == nil && !bytes.HasSuffix(answer, []byte("event: end\ndata: {}\n\n")) {
		err = errors.New("an answer has no end")
	}
	return answer, err
}

// open sends and reads the first event.
func (r *rival) open(ctx context.Context, from user, question string) (rest io.ReadCloser, err error) {
	response, err := r.send(ctx, from, question)
	if err != nil {
		return nil, err
	}
	var text, part [512]byte
	for all := text[:0]; !bytes.Contains(all, []byte("\n\n")); {
		n, err := response.Body.Read(part[:])
		all = append(all, part[:n]...)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("a stream has no first event: %w", err), response.Body.Close())
		}
	}
	return response.Body, nil
}

// use returns what the process uses.
func (r *rival) use(ctx context.Context) (u use, err error) {
	text, err := r.call(ctx, http.MethodGet, usePath)
	if err == nil {
		_, err = fmt.Sscan(text, &u.live, &u.resident, &u.processor)
	}
	return u, err
}

// end ends the answers that run.
func (r *rival) end(ctx context.Context) error {
	_, err := r.call(ctx, http.MethodPost, endPath)
	return err
}

func (r *rival) call(ctx context.Context, method, path string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, method, r.url+path, nil)
	if err != nil {
		return "", err
	}
	response, err := r.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	return string(text), err
}
