package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// importFile is a file to import: its path within what is imported, and its
// content or where that lies.
type importFile struct {
	path    string
	content []byte
	open    string
}

// imported is the metadata of a document that was imported.
type imported struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// importer uploads to a running service, as the project's administrator.
type importer struct {
	base, project, key, secret string
	client                     *http.Client
	out                        io.Writer
}

func newImporter(s *settings, base string, out io.Writer) (*importer, error) {
	key, secrets, err := credentials(s)
	if err != nil {
		return nil, err
	}
	return &importer{base, s.project, key, secrets[0], &http.Client{Transport: &http.Transport{}}, out}, nil
}

func (i *importer) close() { i.client.CloseIdleConnections() }

// tally is what became of the files.
type tally struct{ added, replaced, unchanged, refused, failed int }

// run imports files and waits until they are read. It writes a line for each
// when it is known what becomes of it.
func (i *importer) run(ctx context.Context, files []importFile) (t tally, err error) {
	before, err := i.list(ctx)
	if err != nil {
		return t, err
	}
	waiting := map[string]string{} // keys of documents, with their paths
	for _, file := range files {
		if err := i.one(ctx, file, before, &t, waiting); err != nil {
			return t, fmt.Errorf("%s: %w", file.path, err)
		}
	}
	return t, i.await(ctx, waiting, &t)
}

// one imports a file, unless its document is the same.
func (i *importer) one(ctx context.Context, file importFile, before map[string][]wire.ListedDocument, t *tally, waiting map[string]string) error {
	content := file.content
	if file.open != "" {
		var err error
		if content, err = os.ReadFile(file.open); err != nil {
			return err
		}
	}
	sum := sha256.Sum256(content)
	is := imported{file.path, hex.EncodeToString(sum[:])}
	old := before[file.path]
	// One that failed is read again: the service may have been what failed.
	same := slices.IndexFunc(old, func(d wire.ListedDocument) bool { return importedAs(d) == is && d.Status != wire.DocumentFailed })
	if same >= 0 {
		t.unchanged++
		i.say("unchanged", file.path, "")
		if d := old[same]; d.Status == wire.DocumentQueued {
			waiting[d.ContentKey] = file.path
		}
		return i.remove(ctx, slices.Delete(slices.Clone(old), same, same+1)) // what an import that was broken off left
	}
	key, refusal, err := i.upload(ctx, is, content)
	switch {
	case err != nil:
		return err
	case refusal != "":
		t.refused++
		i.say("refused", file.path, refusal)
		return nil
	}
	waiting[key] = file.path
	if len(old) == 0 {
		t.added++
		i.say("added", file.path, "")
		return nil
	}
	t.replaced++
	i.say("replaced", file.path, "")
	return i.remove(ctx, old)
}

func (i *importer) say(what, path, why string) {
	if why != "" {
		path += ": " + why
	}
	fmt.Fprintf(i.out, "%-10s %s\n", what, path)
}

// report writes the summary. Files that are not there now are an error.
func (i *importer) report(t tally, err error) error {
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	fmt.Fprintf(i.out, "\n%d added, %d replaced, %d unchanged, %d refused, %d failed\n", t.added, t.replaced, t.unchanged, t.refused, t.failed)
	if bad := t.refused + t.failed; bad > 0 {
		return fmt.Errorf("import: %d files were not imported, see above", bad)
	}
	return nil
}

func importedAs(d wire.ListedDocument) (is imported) {
	_ = json.Unmarshal(d.Metadata, &is) // metadata of others have other fields
	return is
}

// pollPause is the time between two looks at what is still being read.
const pollPause = 200 * time.Millisecond

// await waits until the service has read what was uploaded.
func (i *importer) await(ctx context.Context, waiting map[string]string, t *tally) error {
	for pause := time.Duration(0); len(waiting) > 0; pause = pollPause {
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		all, err := i.list(ctx)
		if err != nil {
			return err
		}
		there := map[string]wire.ListedDocument{}
		for _, documents := range all {
			for _, d := range documents {
				there[d.ContentKey] = d
			}
		}
		for key, path := range waiting {
			d, found := there[key]
			if !found {
				d = wire.ListedDocument{Status: wire.DocumentFailed, Error: "somebody deleted it before it was read"}
			}
			if d.Status == wire.DocumentQueued {
				continue
			}
			delete(waiting, key)
			if d.Status == wire.DocumentFailed {
				t.failed++
				i.say("failed", path, d.Error)
			}
		}
	}
	return nil
}

// list gives the project's documents that were imported, by their paths. It goes
// by cursors: numbered pages pass a document over when one before it is deleted.
func (i *importer) list(ctx context.Context) (map[string][]wire.ListedDocument, error) {
	all := map[string][]wire.ListedDocument{}
	size := 100
	request := wire.ListDocumentsRequest{Limit: &size}
	for {
		var response wire.ListDocumentsResponse
		if err := i.json(ctx, http.MethodPost, "/v3/project/"+url.PathEscape(i.project)+"/knowledgebase", request, &response); err != nil {
			return nil, err
		}
		for _, d := range response.Docs {
			if is := importedAs(d); d.UserID == "" && is.SHA256 != "" {
				all[is.Path] = append(all[is.Path], d)
			}
		}
		if request.Cursor = response.NextCursor; request.Cursor == "" {
			return all, nil
		}
	}
}

func (i *importer) remove(ctx context.Context, documents []wire.ListedDocument) error {
	if len(documents) == 0 {
		return nil
	}
	request := wire.DeleteDocumentsRequest{ProjectID: i.project}
	for _, d := range documents {
		request.Resources = append(request.Resources, wire.Resource{Name: d.Name, Key: d.ContentKey})
	}
	return i.json(ctx, http.MethodDelete, "/project/knowledge/delete", request, nil)
}

// upload gives the key of the document, or why the file is refused.
func (i *importer) upload(ctx context.Context, is imported, content []byte) (key, refusal string, err error) {
	metadata, err := json.Marshal(is)
	if err != nil {
		return "", "", err
	}
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	part, err := w.CreateFormFile(wire.FieldFile, path.Base(is.Path))
	if err == nil {
		_, err = part.Write(content)
	}
	err = errors.Join(err, w.WriteField(wire.FieldProjectID, i.project), w.WriteField(wire.FieldDocumentMetadata, string(metadata)), w.Close())
	if err != nil {
		return "", "", err
	}
	var response wire.UploadDocumentResponse
	err = i.call(ctx, http.MethodPost, "/v3/project/knowledge/add/file", w.FormDataContentType(), form.Bytes(), &response)
	var told *refused
	if errors.As(err, &told) && slices.Contains(told.body.Error.InvalidFields, wire.FieldFile) {
		return "", told.body.Error.Message, nil
	}
	return response.DocumentKey, "", err
}

func (i *importer) json(ctx context.Context, method, path string, request, response any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	return i.call(ctx, method, path, "application/json", body, response)
}

// refused is an error that the service answered.
type refused struct {
	body wire.ErrorBody
	// after is how long to wait before the next try.
	after time.Duration
}

// Error implements error.
func (r *refused) Error() string {
	return fmt.Sprintf("the service refused it (%d): %s", r.body.StatusCode, r.body.Error.Message)
}

// call sends a request, and sends it again for as long as there are too many in a minute.
func (i *importer) call(ctx context.Context, method, path, contentType string, body []byte, response any) error {
	for {
		err := i.try(ctx, method, path, contentType, body, response)
		told, ok := errors.AsType[*refused](err)
		if !ok || told.body.Error.Code != wire.CodeRateLimited {
			return err
		}
		if err := sleep(ctx, told.after); err != nil {
			return err
		}
	}
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func (i *importer) try(ctx context.Context, method, path, contentType string, body []byte, response any) error {
	request, err := http.NewRequestWithContext(ctx, method, i.base+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", contentType)
	request.Header.Set("X-Api-Key", i.key)
	request.Header.Set("X-Api-Secret", i.secret)
	answer, err := i.client.Do(request)
	if err != nil {
		return fmt.Errorf("the service on this DATA: %w", err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return fmt.Errorf("the service on this DATA: %w", err)
	}
	if answer.StatusCode == http.StatusOK {
		if response == nil {
			return nil
		}
		return json.Unmarshal(text, response)
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After"))
	told := &refused{after: time.Duration(max(seconds, 1)) * time.Second}
	if json.Unmarshal(text, &told.body) != nil || told.body.Error.Message == "" {
		return fmt.Errorf("the service on this DATA answered %s %s with %d", method, path, answer.StatusCode)
	}
	return told
}
