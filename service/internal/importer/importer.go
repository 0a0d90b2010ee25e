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
	// before are the documents that existed at the beginning, by their paths.
	before map[string][]wire.ListedDocument
	// waiting are the paths of documents that the service has not read yet, by their keys.
	waiting map[string]string

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
	i := &importer{client: newClient(config), out: config.Out, waiting: map[string]string{}}
	if i.before, err = i.list(ctx); err != nil {
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
		if d := old[same]; d.Status == wire.DocumentQueued {
			i.waiting[d.ContentKey] = file.Path
		}
		return i.remove(ctx, slices.Delete(slices.Clone(old), same, same+1)) // left over by an interrupted import
	}
	key, err := i.upload(ctx, is, content)
	failure, told := errors.AsType[*sdk.APIError](err)
	switch {
	case told && slices.Contains(failure.InvalidFields, wire.FieldFile):
		i.say(&i.refused, "refused", file.Path, failure.Message)
		return nil
	case err != nil:
		return err
	}
	i.waiting[key] = file.Path
	if len(old) == 0 {
		i.say(&i.added, "added", file.Path, "")
	} else {
		i.say(&i.replaced, "replaced", file.Path, "")
	}
	return i.remove(ctx, old)
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

// pollPause is the time between two checks of documents that are being read.
const pollPause = 200 * time.Millisecond

// await waits until the service has read the uploaded documents.
func (i *importer) await(ctx context.Context) error {
	for pause := time.Duration(0); len(i.waiting) > 0; pause = pollPause {
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
		for key, path := range i.waiting {
			d, found := there[key]
			if !found {
				d = wire.ListedDocument{Status: wire.DocumentFailed, Error: "somebody deleted it before it was read"}
			}
			if d.Status == wire.DocumentQueued {
				continue
			}
			delete(i.waiting, key)
			if d.Status == wire.DocumentFailed {
				i.say(&i.failed, "failed", path, d.Error)
			}
		}
	}
	return nil
}

// list returns the project's imported documents by their paths. It pages with cursors, because
// numbered pages skip a document if one before it is deleted.
func (i *importer) list(ctx context.Context) (map[string][]wire.ListedDocument, error) {
	all := map[string][]wire.ListedDocument{}
	options := sdk.ListDocumentsOptions{Limit: sdk.MaxDocuments}
	for {
		var page *sdk.ListDocumentsResponse
		if err := patiently(ctx, func() (err error) { page, err = i.client.ListDocuments(ctx, options); return err }); err != nil {
			return nil, err
		}
		for _, d := range page.Docs {
			if is := importedAs(d); d.UserID == "" && is.SHA256 != "" {
				all[is.Path] = append(all[is.Path], d)
			}
		}
		if options.Cursor = page.NextCursor; options.Cursor == "" {
			return all, nil
		}
	}
}

func (i *importer) remove(ctx context.Context, documents []wire.ListedDocument) error {
	for _, d := range documents {
		if err := patiently(ctx, func() error { return i.client.DeleteDocument(ctx, d.ContentKey) }); err != nil {
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
