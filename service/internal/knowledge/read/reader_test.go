package read_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// child is a Reader whose child is this program.
func child(t *testing.T, name string) *read.Reader {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	return reader(t, &read.Reader{Command: []string{program, name}})
}

func reader(t *testing.T, r *read.Reader) *read.Reader {
	t.Helper()
	t.Cleanup(r.Close)
	return r
}

func TestReaderReadsInAChild(t *testing.T) {
	t.Parallel()
	for name, data := range map[string][]byte{
		"a.md":     []byte("# Title\n\nText “quoted” 😀 \n\n- item"),
		"a.html":   []byte("<title>T</title><p>one<p>two"),
		"a.pdf":    pdfPages(stream("", textAt(10, 50, 700, "Text."))),
		"a\nb.txt": []byte("a name of two lines"),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			want, err := read.Bytes(name, data)
			require.NoError(t, err)
			got, err := reader(t, &read.Reader{}).Read(context.Background(), name, data)
			require.NoError(t, err)
			require.Equal(t, want, got)
		})
	}
}

func TestReaderReturnsTheRefusal(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	_, err := reader(t, &read.Reader{}).Read(ctx, "a.pdf", []byte("%PDF-1.7\nno"))
	require.ErrorIs(t, err, read.Broken)
	_, err = reader(t, &read.Reader{}).Read(ctx, "a.txt", nil)
	require.ErrorIs(t, err, read.Empty)
	_, err = reader(t, &read.Reader{Bytes: 3}).Read(ctx, "a.txt", []byte("four"))
	require.ErrorIs(t, err, read.TooLarge)
}

// A page whose content unpacks to 4 GB, and an array that needs a hundred times its size.
func TestReaderSurvivesBombs(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	spaces := deflated(bytes.Repeat([]byte(" "), 50<<20))
	contents := "[" + strings.Repeat("4 0 R ", 80) + "]"
	file := pdfFile("", "<< /Pages 2 0 R >>", "<< /Kids [3 0 R] >>", "<< /Contents "+contents+" >>", spaces)
	require.Less(t, len(file), 1<<20)
	_, err := reader(t, &read.Reader{Time: 2 * time.Second}).Read(ctx, "a.pdf", file)
	require.ErrorIs(t, err, read.TooSlow)

	array := pdfPages(deflated(append([]byte("["), bytes.Repeat([]byte("0 "), 10<<20)...)))
	_, err = reader(t, &read.Reader{Memory: 128 << 20, Time: time.Minute}).Read(ctx, "a.pdf", array)
	require.ErrorIs(t, err, read.TooMuchSpace)
}

func TestReaderKeepsAChildThatReadsWell(t *testing.T) {
	t.Parallel()
	ctx, r := context.Background(), child(t, "counting")
	var texts []string
	for range 3 {
		d, err := r.Read(ctx, "a.txt", []byte("text"))
		require.NoError(t, err)
		texts = append(texts, d.Text)
	}
	require.Equal(t, []string{"file 1", "file 2", "file 1"}, texts, "the first child failed at its third file, which another child read")
	r.Close()
	d, err := r.Read(ctx, "a.txt", []byte("text"))
	require.NoError(t, err)
	require.Equal(t, "file 1", d.Text)
}

func TestReaderIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	r := reader(t, &read.Reader{})
	const calls = 24
	var texts [calls]string
	var errs [calls]error
	var all sync.WaitGroup
	for i := range calls {
		all.Go(func() {
			d, err := r.Read(context.Background(), "a.txt", fmt.Appendf(nil, "file %d", i))
			texts[i], errs[i] = d.Text, err
		})
	}
	all.Wait()
	for i := range calls {
		require.NoError(t, errs[i])
		require.Equal(t, fmt.Sprintf("file %d", i), texts[i])
	}
}

func TestReaderEndsItsChild(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, child string
		want        error
	}{
		{"one that hangs", "hang", read.TooSlow},
		{"one that crashes", "crash", read.Broken},
		{"one that writes endlessly", "endless", read.TooMuchText},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			r := child(t, row.child)
			r.Time = time.Minute // the race detector is slow
			if row.want == error(read.TooSlow) {
				r.Time = 200 * time.Millisecond
			}
			_, err := r.Read(context.Background(), "a.txt", []byte("text"))
			require.ErrorIs(t, err, row.want)
		})
	}
}

// A small file that is made to be slow gets a few seconds.
func TestTimeGrowsWithTheSize(t *testing.T) {
	t.Parallel()
	for size, want := range map[int]time.Duration{
		1: 3 * time.Second, 4 << 10: 3 * time.Second, 2 << 20: 5 * time.Second, 17 << 20: 20 * time.Second, 25 << 20: 20 * time.Second, 1 << 40: 20 * time.Second,
	} {
		require.InDelta(t, want, read.TimeFor(size), float64(10*time.Millisecond), size)
	}
	// The child is told its time, and answers with it.
	d, err := child(t, "told").Read(context.Background(), "a.txt", make([]byte, 2<<20))
	require.NoError(t, err)
	require.Equal(t, "5s", d.Text)
}

func TestReaderEndsWhatItsChildStarted(t *testing.T) {
	t.Parallel()
	file, err := os.Create(filepath.Join(t.TempDir(), "lock"))
	require.NoError(t, err)
	defer file.Close()
	r := child(t, "family")
	r.Command = append(r.Command, file.Name())
	r.Time = 500 * time.Millisecond
	_, err = r.Read(context.Background(), "a.txt", []byte("text"))
	require.ErrorIs(t, err, read.TooSlow)
	require.NoError(t, lock(file), "nobody is left to hold it")
}

func TestReaderTellsItsOwnFaultsFromTheFile(t *testing.T) {
	t.Parallel()
	var refusal read.Refusal
	for _, name := range []string{"nothing", "silent", "killed"} {
		_, err := child(t, name).Read(context.Background(), "a.txt", []byte("text"))
		require.Error(t, err)
		require.NotErrorAs(t, err, &refusal)
	}
	_, err := reader(t, &read.Reader{Command: []string{"/no/such/program"}}).Read(context.Background(), "a.txt", []byte("text"))
	require.ErrorIs(t, err, os.ErrNotExist)

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = child(t, "hang").Read(ctx, "a.txt", []byte("text"))
	require.ErrorIs(t, err, context.Canceled)
}

func TestChildGetsNoEnvironment(t *testing.T) {
	require.NotEmpty(t, os.Getenv("PATH"))
	t.Setenv("API_SECRET", "marmalade")
	d, err := child(t, "environment").Read(context.Background(), "a.txt", []byte("text"))
	require.NoError(t, err)
	require.Equal(t, "GOMEMLIMIT=402653184 GOTRACEBACK=none", d.Text)
	r := child(t, "environment")
	r.Heap = 128 << 20
	d, err = r.Read(context.Background(), "a.txt", []byte("text"))
	require.NoError(t, err)
	require.Equal(t, "GOMEMLIMIT=134217728 GOTRACEBACK=none", d.Text)
}

func TestServeWantsAnOrder(t *testing.T) {
	t.Parallel()
	for _, input := range []string{"", "no line", "{}\ntext", "no order\ntext", `{"name":"a","time":1}` + "\ntext", `{"name":"a","bytes":-1,"time":1,"memory":1}` + "\n"} {
		var answer bytes.Buffer
		require.Error(t, read.Serve(strings.NewReader(input), &answer), input)
		require.Empty(t, answer.String())
	}
}
