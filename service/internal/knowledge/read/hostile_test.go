package read_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

// Files that are made to harm are refused, and take no more than the limits allow.
func TestHostileOfficeFiles(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("<w:sdt><w:sdtContent>", 5000)
	open := func(body string) string {
		return `<w:document ` + wordSpace + `><w:body>` + body + `</w:body></w:document>`
	}
	laughs := `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>` + open(`<w:p><w:r><w:t>&b;</w:t></w:r></w:p>`)
	outside := `<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>` + open(`<w:p><w:r><w:t>&a;</w:t></w:r></w:p>`)
	bomb := strings.Repeat("<w:p/>", 25<<20)
	office := func(file string) []byte { return packed(t, "word/document.xml", file) }
	sheet := func(cells string) []byte {
		return packed(t, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml",
			`<o xmlns:table="t" xmlns:x="x"><x:body><x:spreadsheet><table:table>`+cells+`</table:table></x:spreadsheet></x:body></o>`)
	}
	many := make([]string, 0, 50_000)
	for i := range 25_000 {
		many = append(many, "word/"+strings.Repeat("x", i%7)+string(rune('a'+i%26)), "")
	}
	tests := []struct {
		name string
		data []byte
		want error
	}{
		{"a bomb", office(open(bomb)), read.TooMuchInside},
		{"nested deeply", office(open(deep)), read.TooMuchInside},
		{"entities that grow", office(laughs), read.Broken},
		{"an entity outside", office(outside), read.Broken},
		{"no XML", office("word"), read.Broken},
		{"cut off", office(open("<w:p/>"))[:120], read.Broken},
		{"too many files", packed(t, many...), read.TooMuchInside},
		{"rows that are repeated",
			sheet(`<table:table-row table:number-rows-repeated="1000000000"><table:table-cell table:number-columns-repeated="1000"><x:p>7</x:p></table:table-cell></table:table-row>`), read.TooMuchInside},
		{"with a password", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
			"E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e"...), read.Encrypted},
		{"of the old Word", append([]byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"), make([]byte, 600)...), read.UnknownKind},
		{"a zip of anything", packed(t, "a.txt", "x"), read.UnknownKind},
		{"nested groups", []byte(`{\rtf1 ` + strings.Repeat("{", 20_000)), read.TooMuchInside},
		{"a mail in itself", []byte(strings.Repeat("Content-Type: message/rfc822\r\n\r\n", 30) + "x"), read.TooMuchInside},
		{"parts without end", []byte("Content-Type: multipart/mixed; boundary=b\r\n\r\n" + strings.Repeat("--b\r\n\r\nx\r\n", 1000)), read.TooMuchInside},
	}
	names := map[string]string{"nested groups": "a.rtf", "a mail in itself": "a.eml", "parts without end": "a.eml"}
	for _, test := range tests {
		name := names[test.name]
		if name == "" {
			name = "a.docx"
		}
		_, err := read.Bytes(name, test.data)
		require.ErrorIs(t, err, test.want, test.name)
	}
	d, err := read.Bytes("a.docx", wordFile(t, paragraph("berschrift1", "Macros")+paragraph("", "are not run."), "word/vbaProject.bin", "x",
		"../../etc/evil", "x"))
	require.NoError(t, err)
	require.Equal(t, "Macros\n\nare not run.\n\nAcme Ltd", d.Text)
}

// Any file that is cut or changed is read or refused.
func FuzzFormats(f *testing.F) {
	f.Add("a.docx", wordFile(f, paragraph("Mine", "x")))
	f.Add("a.ods", packed(f, "mimetype", "application/vnd.oasis.opendocument.spreadsheet", "content.xml",
		"<a><body><spreadsheet><table><table-row><table-cell><p>1</p></table-cell></table-row></table></spreadsheet></body></a>"))
	f.Add("a.rtf", []byte(`{\rtf1 {\footnote x}\u-3 ?\'e9\cell\row\par}`))
	f.Add("a.eml", []byte("Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nx\r\n--b--"))
	f.Add("a.csv", []byte("a,b\n1,\"2\n"))
	f.Fuzz(func(t *testing.T, name string, data []byte) {
		if len(data) > 1<<20 || bytes.Contains(data, []byte("%PDF")) {
			return
		}
		d, err := read.Bytes(name, data)
		if err != nil {
			return
		}
		at := 0
		for _, b := range d.Blocks {
			require.True(t, at <= b.Start && b.Start < b.End && b.End <= len(d.Text))
			at = b.End
		}
	})
}
