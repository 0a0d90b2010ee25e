package read_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/knowledge/read"
)

func TestHTML(t *testing.T) {
	t.Parallel()
	for _, row := range []struct{ name, html, want string }{
		{
			"blocks", "<h1>A <i>b</i></h1>c<p>d\n e<br>f</p><ul><li>g<ul><li>h</ul><li>i</ul><pre>j\n  k</pre>l",
			"heading 1: A b\nparagraph 0: c\nparagraph 0: d e f\nitem 1: g\nitem 2: h\nitem 1: i\ncode 0: j\n  k\nparagraph 0: l\n",
		},
		{"tables", "<table><tr><th>Name<th>Weight<tr><td>Otter<td>9 <b>kg</b></table>", "table 0: Name | Weight\nOtter | 9 kg\n"},
		{"tables that arrange a page", "<table><tr><td><h2>A</h2><p>b<td><table><tr><td>c</table></table>", "heading 2: A\nparagraph 0: b\ntable 0: c\n"},
		{
			"scripts, styles and other text that no page shows",
			"a<script>alert('x')</script><style>p{}</style><!-- x --><template>x</template><noscript>x</noscript><iframe>x</iframe><svg><text>x</text></svg><p title=x onclick=x>b<script>x",
			"paragraph 0: a\nparagraph 0: b\n",
		},
		{"hidden elements", "<p>a<p hidden>x<p style='DISPLAY : none'>x<div style=visibility:hidden><p>x</div><p>b", "paragraph 0: a\nparagraph 0: b\n"},
		{"the frame of a page", "<nav>x</nav><main>a</main><button>x</button>", "paragraph 0: a\n"},
		{"entities stay text", "&lt;script&gt;alert(1)&lt;/script&gt; &amp;lt; &#x1F600; &#0; &bogus; &copy", "paragraph 0: <script>alert(1)</script> &lt; 😀 � &bogus; ©\n"},
		{"entities in a script's tag", "&#60;script&#62;x&#60;/script&#62;<scr<script>ipt>y</script>z", "paragraph 0: <script>x</script>\nparagraph 0: ipt>yz\n"},
		{"tags that do not close", "<p><b>a<div>b", "paragraph 0: a\nparagraph 0: b\n"},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			d, err := read.Bytes("a.html", []byte(row.html))
			require.NoError(t, err)
			require.Equal(t, row.want, blocks(d))
		})
	}
}

func TestHTMLDeclaresItsEncoding(t *testing.T) {
	t.Parallel()
	d, err := read.Bytes("a.html", []byte("<meta charset=iso-8859-2><p>\xa3azienki"))
	require.NoError(t, err)
	require.Equal(t, "Łazienki", d.Text)
	d, err = read.Bytes("a.html", []byte("<meta charset=iso-8859-2><p>"+strings.Repeat("a", 2000)+"Łazienki"))
	require.NoError(t, err)
	require.Contains(t, d.Text, "Łazienki", "the bytes count more than the page's declaration")
}

func TestNestedHTML(t *testing.T) {
	t.Parallel()
	for _, tag := range []string{"<div>", "<b>", "<table><tr><td>", "<ul><li>", "<a>"} {
		_, err := read.Bytes("a.html", []byte(strings.Repeat(tag, 100_000)+"text"))
		if err != nil {
			require.ErrorIs(t, err, read.Broken, tag)
		}
	}
	d, err := read.Bytes("a.html", []byte(strings.Repeat("<div>", 300)+"text"))
	require.NoError(t, err)
	require.Equal(t, "text", d.Text)
}

func TestMarkdown(t *testing.T) {
	t.Parallel()
	d, err := read.Bytes("a.md", []byte("Title\n=====\n\nSome **bold** [link](javascript:alert(1)) `code`\nand <b>more</b> &amp; <script>x</script>.\n\n"+
		"> quoted\n\n1. one\n2. two\n   - deep\n\n```go\nfunc main() { }\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n<div hidden>x</div>\n\n![alt](x.png) end"))
	require.NoError(t, err)
	require.Equal(t, "heading 1: Title\nparagraph 0: Some bold link code and more & .\nparagraph 0: quoted\nitem 1: one\nitem 1: two\nitem 2: deep\n"+
		"code 0: func main() { }\ntable 0: a | b\n1 | 2\nparagraph 0: end\n", blocks(d))
	require.Equal(t, "Title", d.Title)
}
