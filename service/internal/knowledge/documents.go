package knowledge

import (
	"context"
	"errors"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
	"github.com/chatsdk/chatsdk/service/internal/knowledge/search"
	"github.com/chatsdk/chatsdk/service/internal/once"
)

// Upload is a file to store as a document.
type Upload struct {
	// Name is the file's name; folders in it are ignored.
	Name     string
	File     []byte
	Metadata wire.JSON
	// Once is the request's idempotency key.
	Once once.Request
}

// Upload stores a file, which is read in the background. It refuses a file that is empty or of an
// unknown kind; other problems are found when the file is read. A repeat of a request with its
// key gets the document that the first one made, in its current state.
func (s *Service) Upload(ctx context.Context, caller access.Caller, upload Upload) (d Document, replayed bool, err error) {
	d, replayed, err = s.uploaded(ctx, caller, upload.Once)
	if err != nil || replayed {
		return d, replayed, err
	}
	if d, err = s.check(upload); err != nil {
		return Document{}, false, err
	}
	d.Key, d.ProjectID, d.UserID, d.CreatedAt = newKey(), caller.ProjectID, s.owner(caller), s.now()
	err = s.config.Store.AddDocument(ctx, d, upload.File, upload.Once.Use(caller.ProjectID, caller.UserID, d.Key, d.CreatedAt))
	if errors.Is(err, once.ErrTaken) {
		return s.uploaded(ctx, caller, upload.Once)
	}
	s.Wake()
	return d, false, err
}

// uploaded returns the document that an earlier request with this key made.
func (s *Service) uploaded(ctx context.Context, caller access.Caller, key once.Request) (Document, bool, error) {
	used, found, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return Document{}, false, err
	}
	d, err := s.config.Store.Document(ctx, reachOf(caller), used.Subject)
	return d, err == nil, err
}

// check makes a document of a file if it may be stored.
func (s *Service) check(upload Upload) (Document, error) {
	size, name := int64(len(upload.File)), read.Name(upload.Name)
	if s.config.Bytes > 0 && size > s.config.Bytes {
		return Document{}, TooLarge(s.config.Bytes)
	}
	if length := utf8.RuneCountInString(name); length > read.MaxName {
		return Document{}, fault.Invalid(wire.FieldFile, "the name of the file has %d characters, want at most %d: rename it", length, read.MaxName)
	}
	kind, err := read.KindOf(name, upload.File)
	if err != nil {
		return Document{}, fault.Invalid(wire.FieldFile, "%v", err)
	}
	return Document{Name: name, Title: name, Kind: kind, Status: wire.DocumentQueued, Size: size, Metadata: upload.Metadata}, nil
}

// The sizes of pages.
const (
	DefaultPage = 30
	MaxPage     = 100
	// maxPages keeps the position of a page within the numbers that every store supports.
	maxPages = 1 << 31 / MaxPage
)

// List returns a page of the documents that the caller may see, newest first.
func (s *Service) List(ctx context.Context, caller access.Caller, page Page) (List, error) {
	switch {
	case page.Number < 1 || page.Number > maxPages:
		return List{}, fault.Invalid("page", "page is %d, want 1 to %d", page.Number, maxPages)
	case page.Size < 1 || page.Size > MaxPage:
		return List{}, fault.Invalid("items_per_page", "items_per_page is %d, want 1 to %d", page.Size, MaxPage)
	}
	return s.config.Store.ListDocuments(ctx, reachOf(caller), page)
}

// Get returns a document's text with its passages, or the part within a span; see
// Documents.Content.
func (s *Service) Get(ctx context.Context, caller access.Caller, key string, span *wire.Span) (wire.Document, error) {
	if span != nil && (span.Start < 0 || span.End < span.Start) {
		return wire.Document{}, fault.Invalid("end", "start is %d and end is %d, want 0 <= start <= end", span.Start, span.End)
	}
	return s.config.Store.Content(ctx, reachOf(caller), key, span)
}

// MaxDeleted is how many documents one call may delete.
const MaxDeleted = 100

// Delete removes documents with everything that belongs to them, or none if the caller may not
// delete one of them. Earlier answers keep what they quoted.
func (s *Service) Delete(ctx context.Context, caller access.Caller, keys []string) error {
	if len(keys) == 0 {
		return fault.Invalid("resources", "resources is empty, want the documents to delete")
	}
	if len(keys) > MaxDeleted {
		return fault.Invalid("resources", "resources has %d entries, want at most %d: delete the others with another call", len(keys), MaxDeleted)
	}
	for _, key := range keys {
		d, err := s.config.Store.Document(ctx, reachOf(caller), key)
		if err != nil {
			return err
		}
		if !s.mayDelete(caller, d) {
			return errProjects
		}
	}
	return s.config.Store.DeleteDocuments(ctx, caller.ProjectID, keys, s.now())
}

// Usable returns which of the keys name documents that answers to this user may use: the
// project's and the user's own. With an empty user, only the project's. If keys is nil, it
// returns all of them.
func (s *Service) Usable(ctx context.Context, projectID, userID string, keys []string) ([]string, error) {
	return s.config.Store.Usable(ctx, Reach{ProjectID: projectID, UserID: userID}, keys)
}

// Search finds the passages of these documents that fit a question best. It doesn't check who may
// see them: see Usable.
func (s *Service) Search(ctx context.Context, question string, keys []string, limit int) ([]search.Hit, error) {
	return s.config.Store.Search(ctx, question, keys, limit)
}
