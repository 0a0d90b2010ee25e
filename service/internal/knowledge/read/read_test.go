package read_test

import (
	"strings"
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

func inUTF16(text string, bigEndian bool) []byte {
	units := utf16.Encode([]rune("\ufeff" + text))
	var all []byte
	for _, u := range units {
		if bigEndian {
			all = append(all, byte(u>>8), byte(u))
		} else {
			all = append(all, byte(u), byte(u>>8))
		}
	}
	return all
}

func TestTextInItsEncodings(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name string
		data []byte
		want string
	}{
		{"UTF-8", []byte("Łazienki café"), "Łazienki café"},
		{"UTF-8 with a byte order mark", []byte("\xef\xbb\xbfŁazienki"), "Łazienki"},
		{"UTF-16, little-endian", inUTF16("Łazienki 😀", false), "Łazienki 😀"},
		{"UTF-16, big-endian", inUTF16("Łazienki 😀", true), "Łazienki 😀"},
		{"Latin-1", []byte("caf\xe9 na\xefve"), "café naïve"},
		{"Windows-1252", []byte("\x93quoted\x94 \x80 5"), "“quoted” € 5"},
		{"line ends of Windows and of old Macs", []byte("a\r\nb\rc\r\n\r\nd"), "a\nb\nc\n\nd"},
		{"characters that are invisible or reverse the text", []byte("a\u202eb\u200bc\x1b[0m"), "abc[0m"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes("notes.txt", row.data)
			require.NoError(t, err)
			require.Equal(t, row.want, d.Text)
			require.Equal(t, read.Plain, d.Kind)
		})
	}
}

func TestKindByContentAndName(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, file, data string
		want             read.Kind
	}{
		{"text", "a.txt", "hello", read.Plain},
		{"no extension", "README", "hello", read.Plain},
		{"another extension", "a.log", "hello", read.Plain},
		{"source code", "a.go", "package a", read.Source},
		{"Markdown", "a.MD", "# hello", read.Markdown},
		{"HTML", "a.htm", "<p>hello", read.HTML},
		{"HTML by content", "a.txt", "\ufeff <!DOCTYPE HTML><p>hello", read.HTML},
		{"HTML in Markdown", "a.md", "<html> is a tag", read.Markdown},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes(row.file, []byte(row.data))
			require.NoError(t, err)
			require.Equal(t, row.want, d.Kind)
		})
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, file, data string
		want             read.Refusal
	}{
		{"empty", "a.txt", "", read.Empty},
		{"blank", "a.txt", " \n\t\n", read.Empty},
		{"only a byte order mark", "a.txt", "\xef\xbb\xbf", read.Empty},
		{"HTML without text", "a.html", "<script>alert(1)</script>", read.Empty},
		{"a picture", "a.png", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", read.UnknownKind},
		{"a picture called text", "a.txt", "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", read.UnknownKind},
		{"a zip that is cut", "a.docx", "PK\x03\x04\x14\x00\x06\x00", read.Broken},
		{"a zip", "a.zip", "PK\x03\x04\x14\x00\x06\x00", read.UnknownKind},
		{"control characters", "a.txt", strings.Repeat("\x01\x02ab", 10), read.UnknownKind},
		{"more than 10 MiB of text", "a.txt", strings.Repeat("some words\n", 1_000_000), read.TooMuchText},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes(row.file, []byte(row.data))
			require.ErrorIs(t, err, row.want)
			require.Empty(t, d)
			require.Regexp(t, `: .+`, row.want.Error(), "it says what to do")
		})
	}
}

func TestTitles(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, file, data, want string
	}{
		{"the file's name", "Annual report.txt", "text", "Annual report"},
		{"without folders", "/etc/../secret/passwd.txt", "text", "passwd"},
		{"without folders of Windows", `C:\Users\ann\notes.txt`, "text", "notes"},
		{"a name of dots", "../..", "text", "Untitled"},
		{"no name", "", "text", "Untitled"},
		{"a name that begins with a dot", ".env", "text", ".env"},
		{"the first heading", "a.md", "# Real *title*\n\ntext", "Real title"},
		{"front matter", "a.md", "---\ntitle: \"Set\"\n---\n# Other\n\ntext", "Set"},
		{"the title of HTML", "a.html", "<title> Fish &amp;\n rivers </title><p>text", "Fish & rivers"},
		{"markup in a title is text", "a.html", "<title><script>alert(1)</script></title><p>text", "<script>alert(1)</script>"},
		{"terminal escape sequences", "a\x1b]0;x\x07\u202egpj.txt", "text", "a]0;xgpj"},
		{"lines", "a\nb.txt", "text", "a b"},
		{"long", strings.Repeat("é", 500) + ".txt", "text", strings.Repeat("é", 199) + "…"},
		{"not UTF-8", "\xff\xfe.txt", "text", "�"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes(row.file, []byte(row.data))
			require.NoError(t, err)
			require.Equal(t, row.want, d.Title)
		})
	}
}

func FuzzBytes(f *testing.F) {
	f.Add("a.md", []byte("# a\n\n- b\n\n|c|\n|-|\n|d|\n<p hidden>e"))
	f.Add("a.html", []byte("<table><tr><td>a<table><td>b</table><pre> c"))
	f.Add("a.pdf", pdfPages(stream("", textAt(10, 50, 700, "Text."))))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		d, err := read.Bytes(name, data)
		if err != nil {
			var refusal read.Refusal
			require.ErrorAs(t, err, &refusal)
			return
		}
		require.True(t, utf8.ValidString(d.Text) && utf8.ValidString(d.Title))
		require.NotEmpty(t, strings.TrimSpace(d.Title))
		end := 0
		for _, b := range d.Blocks {
			require.GreaterOrEqual(t, b.Start, end)
			require.NotEmpty(t, strings.TrimSpace(d.Text[b.Start:b.End]))
			require.Empty(t, strings.Trim(d.Text[end:b.Start], " \n-"), "what is left out")
			end = b.End
		}
		require.Equal(t, len(d.Text), end)
	})
}
