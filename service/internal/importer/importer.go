// Package importer uploads files as documents of a project, as a client of the service. Folder
// lists files and Run imports them.
package importer

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"time"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Config says where Run imports to, as the project's administrator. All fields except Transport
// are required.
type Config struct {
	// BaseURL is the service's address.
	BaseURL, ProjectID, APIKey, APISecret string
	// Out gets a line for each file as soon as its outcome is known, and a summary at the end.
	Out io.Writer
	// Transport carries the requests. Nil means one that uses no proxy.
	Transport http.RoundTripper
}

// importer is one import.
type importer struct {
	client *sdk.Client
	out    io.Writer
	// before are the documents that existed at the beginning, by their paths, newest first.
	before map[string][]wire.ListedDocument
	// newest is when the newest of the project's documents was uploaded, at the beginning.
	newest float64
	// waiting are the files whose documents the service has not read yet.
	waiting []*pending

	added, replaced, unchanged, refused, failed int
}

// imported is the metadata of a document that was imported.
type imported struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Run imports files and waits until the service has read them. Files whose document is unchanged
// are skipped, and documents that were not imported are never touched. missing is how many files
// were refused or could not be read.
func Run(ctx context.Context, config Config, files []File) (missing int, err error) {
	i := &importer{client: newClient(config), out: config.Out}
	if err := i.look(ctx); err != nil {
		return 0, err
	}
	for _, file := range files {
		if err := i.one(ctx, file); err != nil {
			return 0, fmt.Errorf("%s: %w", file.Path, err)
		}
	}
	if err := i.await(ctx); err != nil {
		return 0, err
	}
	fmt.Fprintf(i.out, "\n%d added, %d replaced, %d unchanged, %d refused, %d failed\n", i.added, i.replaced, i.unchanged, i.refused, i.failed)
	return i.refused + i.failed, nil
}

// newClient skips the checks of sdk.New, because the service also accepts secrets that are not
// ASCII. Nothing is sent again after a lost connection: another program may listen there by then,
// and must not get the secret.
func newClient(config Config) *sdk.Client {
	if config.Transport == nil {
		// The form is written while it is sent, so that net/http cannot send it again if the
		// service has just closed an old connection.
		config.Transport = &http.Transport{DisableKeepAlives: true}
	}
	return sdk.NewChecked(sdk.Config{
		BaseURL: config.BaseURL, ProjectID: config.ProjectID, APIKey: config.APIKey, APISecret: config.APISecret, MaxRetries: -1,
		Transport: &nethttp.Transport{Client: &http.Client{Transport: config.Transport}},
	})
}

// one imports a file, unless its document is unchanged.
func (i *importer) one(ctx context.Context, file File) error {
	content, err := file.Read()
	if err != nil {
		return err
	}
	is := imported{file.Path, fmt.Sprintf("%x", sha256.Sum256(content))}
	old := i.before[file.Path]
	// A document that failed is uploaded again, because the service may have been the cause.
	same := slices.IndexFunc(old, func(d wire.ListedDocument) bool { return importedAs(d) == is && d.Status != wire.DocumentFailed })
	if same >= 0 {
		i.say(&i.unchanged, "unchanged", file.Path, "")
		return i.wait(ctx, &pending{path: file.Path, wanted: old[same], others: slices.Delete(slices.Clone(old), same, same+1)})
	}
	key, err := i.upload(ctx, is, content)
	if isFull(err) && len(i.waiting) > 0 { // the documents that are replaced take up room until then
		if err := i.await(ctx); err != nil {
			return err
		}
		key, err = i.upload(ctx, is, content)
	}
	failure, told := errors.AsType[*sdk.APIError](err)
	switch {
	case told && slices.Contains(failure.InvalidFields, wire.FieldFile):
		i.say(&i.refused, "refused", file.Path, failure.Message)
		return nil
	case err != nil:
		return err
	}
	if len(old) == 0 {
		i.say(&i.added, "added", file.Path, "")
	}
	wanted := wire.ListedDocument{ContentKey: key, Status: wire.DocumentQueued, UploadDate: i.newest}
	return i.wait(ctx, &pending{path: file.Path, wanted: wanted, others: old, replaces: len(old) > 0})
}

func isFull(err error) bool {
	failure, told := errors.AsType[*sdk.APIError](err)
	return told && failure.Code == wire.CodeQuotaExceeded
}

// say counts a file and writes its outcome.
func (i *importer) say(count *int, what, path, why string) {
	*count++
	if why != "" {
		path += ": " + why
	}
	fmt.Fprintf(i.out, "%-10s %s\n", what, path)
}

func importedAs(d wire.ListedDocument) (is imported) {
	_ = json.Unmarshal(d.Metadata, &is) // metadata that another program wrote has other fields
	return is
}

// look finds the project's imported documents.
func (i *importer) look(ctx context.Context) error {
	i.before = map[string][]wire.ListedDocument{}
	return i.each(ctx, func(d wire.ListedDocument) bool {
		i.newest = max(i.newest, d.UploadDate)
		if is := importedAs(d); d.UserID == "" && is.SHA256 != "" {
			i.before[is.Path] = append(i.before[is.Path], d)
		}
		return true
	})
}

// each passes the project's documents to take, newest first, until it returns false. It pages with
// cursors, because numbered pages skip a document if one before it is deleted.
func (i *importer) each(ctx context.Context, take func(wire.ListedDocument) bool) error {
	options := sdk.ListDocumentsOptions{Limit: sdk.MaxDocuments}
	for {
		var page *sdk.ListDocumentsResponse
		if err := patiently(ctx, func() (err error) { page, err = i.client.ListDocuments(ctx, options); return err }); err != nil {
			return err
		}
		for _, d := range page.Docs {
			if !take(d) {
				return nil
			}
		}
		if options.Cursor = page.NextCursor; options.Cursor == "" {
			return nil
		}
	}
}

func (i *importer) remove(ctx context.Context, documents []wire.ListedDocument) error {
	for _, d := range documents {
		err := patiently(ctx, func() error { return i.client.DeleteDocument(ctx, d.ContentKey) })
		if failure, told := errors.AsType[*sdk.APIError](err); told && failure.Code == wire.CodeNotFound {
			continue // somebody else has deleted it
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// upload returns the key of the new document.
func (i *importer) upload(ctx context.Context, is imported, content []byte) (key string, err error) {
	metadata, err := json.Marshal(is)
	if err != nil {
		return "", err
	}
	err = patiently(ctx, func() error {
		file := sdk.File{Name: path.Base(is.Path), Size: int64(len(content)), Content: bytes.NewReader(content)}
		response, err := i.client.UploadDocument(ctx, file, sdk.UploadDocumentOptions{Metadata: metadata})
		if err == nil {
			key = response.DocumentKey
		}
		return err
	})
	return key, err
}

// patiently calls do, and repeats it while the service refuses it for its rate.
func patiently(ctx context.Context, do func() error) error {
	for {
		err := do()
		failure, told := errors.AsType[*sdk.APIError](err)
		if !told {
			return err
		}
		if failure.Code != wire.CodeRateLimited {
			return errors.Join(err, failure.Cause)
		}
		if err := sleep(ctx, max(failure.RetryAfter, time.Second)); err != nil {
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
