package importer_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// now is the SHA-256 of what files("a.md") has.
const now = "fccfecc9f1b7b53074da9b2754a7d7dddf2c9a199a8c195503833dbc4d5ac483"

// doc is a document of a.md: the file as it is now, or as it was.
func doc(key, sha, status string) wire.ListedDocument {
	d := wire.ListedDocument{ContentKey: key, Status: status, Metadata: fmt.Appendf(nil, `{"path":"a.md","sha256":%q}`, sha)}
	if status == wire.DocumentFailed {
		d.Error = "it is broken"
	}
	return d
}

// After an import, one document of a file is left that can be read, if any could: whatever an
// earlier import, which may have been killed anywhere, has left.
func TestOneReadableDocumentIsLeft(t *testing.T) {
	t.Parallel()
	const queued, synced, failed = wire.DocumentQueued, wire.DocumentSynced, wire.DocumentFailed
	tests := []struct {
		name    string
		before  []wire.ListedDocument // newest first
		becomes map[string]string     // what is read meanwhile; doc0 is what this import uploads
		removed []string
		said    string
	}{
		{"a new file is read", nil, map[string]string{"doc0": synced}, nil, "added      a.md\n"},
		{"a new file can't be read", nil, map[string]string{"doc0": failed}, nil, "added      a.md\nfailed     a.md: it is broken\n"},
		{"its successor is read", []wire.ListedDocument{doc("old", "1", synced)}, map[string]string{"doc0": synced},
			[]string{"old"}, "replaced   a.md\n"},
		{"its successor can't be read", []wire.ListedDocument{doc("old", "1", synced)}, map[string]string{"doc0": failed},
			nil, "failed     a.md: it is broken; the document from before stays\n"},
		{"a second successor can't be read either", []wire.ListedDocument{doc("bad", "2", failed), doc("old", "1", synced)},
			map[string]string{"doc0": failed}, []string{"bad"}, "failed     a.md: it is broken; the document from before stays\n"},
		{"the file is mended", []wire.ListedDocument{doc("bad", "2", failed), doc("old", "1", synced)},
			map[string]string{"doc0": synced}, []string{"bad", "old"}, "replaced   a.md\n"},
		{"killed after an upload that is read by now", []wire.ListedDocument{doc("new", now, synced), doc("old", "1", synced)},
			nil, []string{"old"}, "unchanged  a.md\n"},
		{"killed after an upload that is read later", []wire.ListedDocument{doc("new", now, queued), doc("old", "1", synced)},
			map[string]string{"new": synced}, []string{"old"}, "unchanged  a.md\n"},
		{"killed after an upload that can't be read", []wire.ListedDocument{doc("new", now, queued), doc("old", "1", synced)},
			map[string]string{"new": failed}, nil, "unchanged  a.md\nfailed     a.md: it is broken; the document from before stays\n"},
		{"killed, and the file was changed back", []wire.ListedDocument{doc("new", "2", queued), doc("old", now, synced)},
			nil, []string{"new"}, "unchanged  a.md\n"},
		{"killed, and the file was changed again", []wire.ListedDocument{doc("new", "2", queued), doc("old", "1", synced)},
			map[string]string{"new": synced, "doc0": synced}, []string{"new", "old"}, "replaced   a.md\n"},
		{"killed, and the file is broken now", []wire.ListedDocument{doc("new", "2", queued), doc("old", "1", synced)},
			map[string]string{"new": synced, "doc0": failed}, []string{"old"},
			"failed     a.md: it is broken; the document from before stays\n"},
		{"killed twice", []wire.ListedDocument{doc("third", now, synced), doc("second", "2", queued), doc("first", "1", synced)},
			nil, []string{"second", "first"}, "unchanged  a.md\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var s *scripted
				s = &scripted{list: func(look int, uploads []wire.ListedDocument) (list []wire.ListedDocument) {
					for _, d := range slices.Concat(uploads, test.before) {
						if look > 3 && test.becomes[d.ContentKey] != "" {
							d.Status = test.becomes[d.ContentKey]
						}
						if d.Status == failed {
							d.Error = "it is broken"
						}
						if !slices.Contains(s.deletions, d.ContentKey) {
							list = append(list, d)
						}
					}
					if look <= 3 && len(test.becomes) > 0 {
						require.Empty(t, s.deletions, "nothing goes before its successor is read")
					}
					return list
				}}
				said, _, err := run(t.Context(), s, files("a.md"))
				require.NoError(t, err)
				require.Equal(t, test.removed, s.deletions)
				require.Contains(t, said, test.said+"\n")
			})
		})
	}
}

// A project may have a thousand documents. An import looks at those that it waits for.
func TestOnlyItsOwnDocumentsAreAskedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scripted{list: func(look int, uploads []wire.ListedDocument) (list []wire.ListedDocument) {
			for n, d := range uploads {
				if d.UploadDate = 1000; look > 10 && n == 0 || look > 20 {
					d.Status = wire.DocumentSynced
				}
				list = slices.Insert(list, 0, d)
			}
			for n := range 900 {
				list = append(list, wire.ListedDocument{ContentKey: fmt.Sprint("other", n), Status: wire.DocumentSynced, UploadDate: float64(900 - n)})
			}
			return list
		}}
		_, missing, err := run(t.Context(), s, files("a.md", "b.md"))
		require.NoError(t, err)
		require.Zero(t, missing)
		require.Equal(t, 21, s.looks)
		require.LessOrEqual(t, s.pages, 900+2*20, "pages have one document")
	})
}

// Until the new documents are read, the old ones take up room.
func TestAnImportNeedsRoomForOneMore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s *scripted
		s = &scripted{room: 1, list: func(_ int, uploads []wire.ListedDocument) (list []wire.ListedDocument) {
			for _, d := range uploads {
				d.Status = wire.DocumentSynced
				list = slices.Insert(list, 0, d)
			}
			for _, path := range []string{"a.md", "b.md", "c.md"} {
				if !slices.Contains(s.deletions, path) {
					list = append(list, wire.ListedDocument{
						ContentKey: path, Status: wire.DocumentSynced, Metadata: fmt.Appendf(nil, `{"path":%q,"sha256":"1"}`, path),
					})
				}
			}
			return list
		}}
		_, missing, err := run(t.Context(), s, files("a.md", "b.md", "c.md"))
		require.NoError(t, err)
		require.Zero(t, missing)
		require.Equal(t, []string{"a.md", "b.md", "c.md"}, s.deletions)
	})
}
