package console_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/console"
)

// built are the files of a console, each with a content.
func built(content string) fstest.MapFS {
	files := fstest.MapFS{}
	for _, name := range []string{"index.html", "console.js", "console.css", "chatsdk.mjs", "chatsdk.wasm"} {
		files[name] = &fstest.MapFile{Data: []byte(content)}
	}
	return files
}

func TestTheFilesInTheProgram(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "dist", "console")
	found, done, err := console.From(nowhere, built("inside"))
	require.NoError(t, err)
	defer done()
	content, err := fs.ReadFile(found, "console.js")
	require.NoError(t, err)
	require.Equal(t, "inside", string(content))
}

func TestAProgramThatWasBuiltWithoutTheConsole(t *testing.T) {
	t.Parallel()
	nowhere := filepath.Join(t.TempDir(), "dist", "console")
	partly := built("inside")
	delete(partly, "chatsdk.wasm")
	for _, inside := range []fstest.MapFS{{"README.md": &fstest.MapFile{}}, partly} {
		_, _, err := console.From(nowhere, inside)
		require.EqualError(t, err, "this program was built without the console; run make console in the project's folder, and build the program again")
	}
}

func TestTheFilesOfTheWorkingDirectoryComeFirst(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	require.NoError(t, os.CopyFS(folder, built("beside")))
	found, done, err := console.From(folder, built("inside"))
	require.NoError(t, err)
	content, err := fs.ReadFile(found, "console.js")
	require.NoError(t, err)
	require.Equal(t, "beside", string(content))
	done()
	require.NoError(t, os.Remove(filepath.Join(folder, "console.css")))
	_, _, err = console.From(folder, built("inside"))
	require.ErrorContains(t, err, "console.css is missing in the working directory")
}
