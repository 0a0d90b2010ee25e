package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/store/sqlite"
)

var ann = access.Scope{ProjectID: "project", UserID: "ann"}

func TestOpenKeepsWhatWasStored(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"chatsdk.db", "a b?c#d%20é&_pragma=x.db", ":memory:", "file:x"} {
		path := filepath.Join(t.TempDir(), name)
		for i := range 3 {
			store, err := sqlite.Open(t.Context(), path)
			require.NoError(t, err, name)
			page, err := store.ListChats(t.Context(), ann, 0, 10)
			require.NoError(t, err)
			require.Len(t, page.Chats, i)
			require.NoError(t, store.CreateChat(t.Context(), ann, wire.Chat{ChatID: fmt.Sprint(i), Name: "N"}, nil))
			require.NoError(t, store.Close())
		}
		files, err := os.ReadDir(filepath.Dir(path))
		require.NoError(t, err)
		require.Len(t, files, 1, "closing leaves the one file")
		require.Equal(t, name, files[0].Name())
	}
}

func TestOpenMakesAPrivateFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	openFile(t, path)
	for _, end := range []string{"", "-wal", "-shm"} {
		info, err := os.Stat(path + end)
		require.NoError(t, err)
		require.Equal(t, fs.FileMode(0o600), info.Mode().Perm(), end)
	}
}

// An existing file keeps its page size.
func TestNewFilesHaveSmallPages(t *testing.T) {
	t.Parallel()
	size := func(store *sqlite.Store) (bytes int) {
		t.Helper()
		writer, _ := store.Pools()
		require.NoError(t, writer.QueryRow("PRAGMA page_size").Scan(&bytes))
		return bytes
	}
	require.Equal(t, 1024, size(openNew(t)))
	require.Equal(t, 4096, size(upgraded(t, 10, "")))
}

func TestOpenExplainsWhatIsWrong(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		prepare func(t *testing.T, path string)
		want    string
	}{
		{"a text", text("Dear diary, this is no database.\n"), "file is not a database; move it away or restore it"},
		{"a long text", text(strings.Repeat("no database\n", 5000)), "file is not a database; move it away or restore it"},
		{"a few bytes", text("xy"), "file is not a database; move it away or restore it"},
		{"a header of zeros", damaged(0, 100, 0), "file is not a database; move it away or restore it"},
		{"a damaged schema", damaged(100, 4000, 0xff), "the database is damaged; restore it or move it away"},
		{"a file cut short", cut(5000), "the database is damaged; restore it or move it away"},
		{"a folder", folder, "it can't be opened as a file; check that it is a file, and the permissions of it and its folder"},
		{"a newer schema", exec("PRAGMA user_version = 4711"),
			fmt.Sprintf("its schema is version 4711 and this program knows %d; run a newer program or restore an older file", steps(t))},
		{"another program's database", exec("PRAGMA user_version = 0"), "it is the database of another program; name another file"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "chatsdk.db")
			test.prepare(t, path)
			_, err := sqlite.Open(t.Context(), path)
			require.EqualError(t, err, "sqlite: open "+path+": "+test.want)
		})
	}
}

func TestOpenNeedsAFolder(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "missing", "chatsdk.db")
	_, err := sqlite.Open(t.Context(), path)
	require.EqualError(t, err, "sqlite: open "+path+": no such file or directory; its folder must exist and be writable")
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestOpenNeedsToWrite(t *testing.T) {
	t.Parallel()
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store(t, path)
	require.NoError(t, os.Chmod(path, 0o400))
	_, err := sqlite.Open(t.Context(), path)
	require.EqualError(t, err, "sqlite: open "+path+": the database can't be written; change the owner or mode of it and its folder")
}

func TestOpenHeedsItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := sqlite.Open(ctx, filepath.Join(t.TempDir(), "chatsdk.db"))
	require.ErrorIs(t, err, context.Canceled)
}

// Whichever byte of the header is wrong, Open works or says so in one line.
func TestOpenSurvivesEachWrongByte(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "chatsdk.db")
	store(t, path)
	good, err := os.ReadFile(path)
	require.NoError(t, err)
	refused := 0
	for i := range 108 {
		bad := append([]byte(nil), good...)
		bad[i] ^= 0xff
		require.NoError(t, os.WriteFile(path, bad, 0o600))
		opened, err := sqlite.Open(t.Context(), path)
		if err == nil {
			require.NoError(t, opened.Close())
			continue
		}
		refused++
		require.NotContains(t, err.Error(), "\n")
		require.True(t, strings.HasPrefix(err.Error(), "sqlite: open "+path+": "), err)
	}
	require.Greater(t, refused, 16, "the first sixteen say that it is a database")
}

// store makes a good database at path.
func store(t *testing.T, path string) {
	t.Helper()
	made, err := sqlite.Open(t.Context(), path)
	require.NoError(t, err)
	require.NoError(t, made.CreateChat(t.Context(), ann, wire.Chat{ChatID: "c1", Name: "N"}, nil))
	require.NoError(t, made.Close())
}

func text(content string) func(*testing.T, string) {
	return func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte(content), 0o600)) }
}

func folder(t *testing.T, path string) { require.NoError(t, os.Mkdir(path, 0o700)) }

func damaged(from, to int, with byte) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		store(t, path)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := from; i < to; i++ {
			content[i] = with
		}
		require.NoError(t, os.WriteFile(path, content, 0o600))
	}
}

func cut(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		store(t, path)
		require.NoError(t, os.Truncate(path, size))
	}
}

// exec runs a statement on a good database.
func exec(statement string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		store(t, path)
		db, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		_, err = db.Exec(statement)
		require.NoError(t, err)
		require.NoError(t, db.Close())
	}
}

// steps is how many steps the schema has.
func steps(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("migrations/*.sql")
	require.NoError(t, err)
	return len(files)
}
