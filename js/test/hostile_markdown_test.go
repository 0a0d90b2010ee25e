package test_test

// hostileMarkdown are texts that a model may be tricked into writing. Parts that could run call
// pwned, and parts that could load something name evil.example.
var hostileMarkdown = []struct{ name, text string }{
	{"script", "<script>pwned()</script>\n\n<SCRIPT src=https://evil.example/x.js></SCRIPT>\n\na <script>pwned()</script> b"},
	{"script in script", "<scr<script>ipt>pwned()</scr</script>ipt>"},
	{"attributes that run", "<img src=x onerror=pwned()>\n\n<p onclick=pwned() onmouseover='pwned()'>x</p> <b onfocus=pwned() autofocus tabindex=0>y</b>"},
	{"an image and a picture", "![a](https://evil.example/a.png) ![b](https://evil.example/b.png \"t\\\" onerror=pwned()\")\n\n<img " +
		"src=https://evil.example/c.png>"},
	{"an image in a link", "[![a](https://evil.example/a.png)](https://evil.example/b) [![x](javascript:pwned())](javascript:pwned())"},
	{"a data: image", "![a](data:image/svg+xml,%3Csvg%20onload=pwned()%3E) ![b](data:image/png;base64,iVBORw0KGgo=) ![c](/evil.png) ![d](//evil.example/d)"},
	{"an image by reference", "![a][r] ![r] ![r][]\n\n[r]: https://evil.example/r.png \"t\"\n"},
	{"javascript: links", "[a](javascript:pwned()) [b](JaVaScRiPt:pwned()) [c](  javascript:pwned()  ) [d](<javascript:pwned()>) " +
		"[e](javascript://x%0apwned())"},
	{"javascript: links with entities", "[a](&#106;avascript:pwned()) [b](javascript&colon;pwned()) [c](&#x6A;&#x61;vascript&#58;pwned()) " +
		"[d](java&Tab;script:pwned())"},
	{"javascript: links with control characters", "[a](java\tscript:pwned()) [b](\x01javascript:pwned()) [c](java\x0bscript:pwned()) [d](java&NewLine;script:pwned()) " +
		"[e](\u00a0javascript:pwned()) [f](\u200bjavascript:pwned()) [g](java%0Ascript:pwned())"},
	{"links with other schemes", "[a](vbscript:pwned()) [b](data:text/html,<script>pwned()</script>) [c](file:///etc/passwd) [d](blob:https://x/y) " +
		"[e](about:blank) [f](view-source:x) [g](ftp://evil.example) [h](intent://x#Intent;end) [i](ws://evil.example)"},
	{"links without a scheme", "[a](//evil.example) [b](/demo/token) [c](#x) [d](?x) [e](x) [f](\\\\evil.example) [g](https:evil.example) [h](http:/x) [i]()"},
	{"links with quotes", "[a](https://x/\"onclick=\"pwned()) [b](https://x/'onclick='pwned()) [c](https://x \"t\" onclick=pwned()) " +
		"[d](https://x/><script>pwned()</script>)"},
	{"links by reference", "[a] [a][] [b][a] [A]\n\n[c]\n\n[a]: javascript:pwned()\n[c]: https://x/ 'y'\n[c]: javascript:pwned()\n[d]: <data:text/html,x>\n[d]"},
	{"a title over several lines", "[a] and\n\n[a]: https://x/a\n'title\nmore\nend'\n\n[b]: https://x/b 'open\n\nnot closed [b]\n"},
	{"definitions late and in quotes", "[late] [inner]\n\n- x [late]\n\ny\n\n> [inner]: https://x/inner\n\n[late]: https://x/late\n\nz [late]"},
	{"labels that prototypes have", "[__proto__] [constructor] [toString]\n\n[__proto__]: https://x/p\n[constructor]: javascript:pwned()\n[hasOwnProperty]: " +
		"https://x/h\n"},
	{"autolinks", "<javascript:pwned()> <https://x/'\"onclick=pwned()> <data:text/html,x> <mailto:a@b.c> <a@b.c> <vbscript:x>"},
	{"bare addresses", "https://x/\"onclick=\"pwned() http://x/<script>pwned()</script> javascript:pwned() //evil.example ftp://evil.example " +
		"www.evil.example a@b.c " +
		"https://xn--80ak6aa92e.com/ https://x/&#34;onclick=pwned()"},
	{"comments and declarations", "<!-- a\n\n<script>pwned()</script> -->\n\n<!-->\n\n<!DOCTYPE x>\n\n<![CDATA[<script>pwned()</script>]]>\n\n<?php " +
		"pwned() ?>\n\n<!--"},
	{"pictures that run", "<svg onload=pwned()><script>pwned()</script><animate onbegin=pwned() attributeName=x></svg>\n\n<svg><use href=data:,x></svg>\n\n" +
		"<math><mtext><table><mglyph><style><img src=x onerror=pwned()></style></mglyph></table></mtext></math>"},
	{"frames and objects", "<iframe src=javascript:pwned()></iframe>\n\n<iframe srcdoc='<script>parent.pwned()</script>'>\n\n<object " +
		"data=https://evil.example>" +
		"<embed src=https://evil.example>\n\n<video src=https://evil.example autoplay><audio src=https://evil.example onerror=pwned()>"},
	{"styles", "<style>*{background:url(https://evil.example)}</style>\n\n<p style='background:url(https://evil.example)'>x</p>\n\n<link rel=stylesheet " +
		"href=https://evil.example>"},
	{"what changes the page", "<base href=https://evil.example>\n\n<meta http-equiv=refresh " +
		"content='0;url=https://evil.example'>\n\n<title>x</title><body onload=pwned()><html>"},
	{"forms", "<form action=https://evil.example><input name=x autofocus onfocus=pwned()><button formaction=javascript:pwned()>x</button></form>\n\n" +
		"<details open ontoggle=pwned()><select autofocus onfocus=pwned()><textarea autofocus onfocus=pwned()>"},
	{"names that clobber", "<a id=find name=send href=https://x>x</a> <form id=messages><input name=children></form>\n\n# find {#messages}\n\n<img " +
		"name=getElementById>"},
	{"footnotes", "x[^1] y[^<script>]\n\n[^1]: javascript:pwned()\n[^<script>]: <script>pwned()</script>\n\n    <script>pwned()</script>\n"},
	{"code", "```js\" onload=\"pwned()\n<script>pwned()</script>\n```\n\n    <script>pwned()</script>\n\n`<script>pwned()</script>` ``a`b`` " +
		"\n\n~~~<img/src=x>&#60;x\n</code></pre><script>pwned()</script>"},
	{"fences that do not close", "````\n```\n<b>\n\n```\nx\n\n> ```\n> quoted\n\nout\n\n- ```\n  listed\n\nout\n\n```html\n<script>pwned()"},
	{"a table", "para\n| a | b |\n|:-:|--:|\n| <script>pwned()</script> | [x](javascript:pwned()) |\n| `|` \\| | ![i](https://evil.example/i) | more " +
		"|\n\n| a |\n|:style=x|\n\nx | y\n- | -\n1 | 2\n"},
	{"lists", "1. a\n\n2. b\n   - c\n\n     d\n   * e\n10) f\n\n\n- a\n-\n- b\n\n  ***\n\n  c\n\n1\n\n1.\n\n+ x\n+ y\n12345678901. z\n007. seven"},
	{"what a line becomes", "a\n#\n#b\n\nc\n-\n- d\n\ne\n=\n=f\n\n---\n--\n\ng\n***bold***\n* * *\n\n>\nh\n\n\ti\n\n\n\tj\n \nk\n\u00a0\nl\n\f\nm"},
	{"emphasis that does not close", "**a *b __c _d ~~e `f [g ![h <i &amp &#0; &#xD800; &notin; \\* \\< **a**b *a*_b_ ***x** y* _a*b_c* ~~x~~ ~y~"},
	{"ends of lines", "a\r\nb\r\n\r\n# c\r\rd\r\n```\r\ne\r\n```\r\n\r\nf\r\r\n\n\r- g\r\n\r\n- h\r\n[x]: https://x\r\n\r\n[x]"},
	{"invisible characters", "\u202eevil \u2066a\u2069 \u200b \ufeff \x00 \x1b[31m \u2028 \u2029 \U000e0041 [\u202egpj.exe](https://x/\u202egpj) " +
		"`\u202e` \U0001f600 e\u0301 שלום **مرحبا**"},
	{"templates", "{{constructor.constructor('pwned()')()}} ${pwned()} <%= pwned() %> [[pwned()]] $$\\href{javascript:pwned()}{x}$$ :javascript:"},
	{"tags as entities", "&lt;script&gt;pwned()&lt;/script&gt; &#60;script&#62;pwned()&#60;/script&#62; \\<script>pwned()</script> %3Cscript%3E"},
}
