package test_test

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"testing"

	"github.com/chromedp/chromedp/kb"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// cats is a document with characters of two UTF-16 units before the quoted part.
const (
	catsText = "# Cats 🐈🐈\n\nNobody knows more about cats than Ada 🐈. Mimi was born on the third of May in Lisbon. She sleeps a lot.\n"
	catsFact = "Mimi was born on the third of May in Lisbon."
	catsAsk  = "Where was Mimi born?"
	onePixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)

// forms records the form of each message that the page sends.
const forms = find + `
	(({ fetch }, { send }) => {
		globalThis.forms = [];
		const keep = (body) => body instanceof FormData && body.has("message") &&
			forms.push(Object.fromEntries([...body].map(([name, value]) => [name, value instanceof File ? value.name : value])));
		globalThis.fetch = (url, init) => { keep(init?.body); return fetch(url, init); };
		XMLHttpRequest.prototype.send = function (body) { keep(body); send.call(this, body); };
	})(globalThis, XMLHttpRequest.prototype);`

// openForms opens the chat page with forms.
func openForms(t *testing.T, service *test.Service) *test.Page {
	t.Helper()
	inPageAlone(t, "it reads the forms that are passed to the page's own fetch")
	p := suite.Page(t, service.URL+examplePath, forms)
	p.Until(ready)
	return p
}

// sent is the form of the last message.
func sent(p *test.Page) map[string]string {
	return test.Eval[map[string]string](p, `return forms.at(-1)`)
}

// drop drops files on an element, each a name, a type and the base64 of its bytes.
func drop(p *test.Page, selector string, files ...[3]string) {
	p.Do(`
		const data = new DataTransfer();
		for (const [name, type, base64] of $2) {
			data.items.add(new File([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], name, { type }));
		}
		const options = { bubbles: true, cancelable: true, dataTransfer: data };
		const dragged = new DragEvent("dragover", options);
		find($1).dispatchEvent(dragged);
		if (!dragged.defaultPrevented) throw new Error("it cannot be dropped there");
		find($1).dispatchEvent(new DragEvent("drop", options));`, selector, files)
}

// choose makes the page's file chooser return a file.
func choose(t *testing.T, p *test.Page, name string, content []byte) {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, content, 0o600))
	p.Attach("#files", path)
}

func markdown(name, text string) [3]string {
	return [3]string{name, "text/markdown", base64.StdEncoding.EncodeToString([]byte(text))}
}

func image(name string) [3]string { return [3]string{name, "image/png", onePixel} }

// attached waits until an attached document is in a state, and returns its key and what the page says.
func attached(p *test.Page, state string) (key, says string) {
	p.Until(`find("#attachments [data-state=" + $1 + "]")`, state)
	got := test.Eval[[]string](p, `
		const item = find("#attachments [data-state=" + $1 + "]");
		return [item.dataset.document ?? "", item.querySelector("[data-part=state]").textContent];`, state)
	return got[0], got[1]
}

// imported waits until the demo's own documents can be searched: the README, an article and those of docs/.
func imported(t *testing.T, p *test.Page, service *test.Service) {
	t.Helper()
	pages, err := filepath.Glob(suite.File("docs/*.md"))
	require.NoError(t, err)
	p.Do(`
		const sdk = new ChatSDK($1);
		const limit = 100;
		for (let docs = []; docs.length < $2 || docs.some(({ status }) => status !== "synced"); ) ({ docs } = await sdk.listDocuments({ limit }));`,
		service.Config(t, "ada"), len(pages)+2)
}

// The first steps of a new user.
func TestExampleAnswersTheFirstQuestionWithSources(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openExample(t, service)
	imported(t, p, service)
	require.Equal(t, "How does ChatSDK resume a stream?", test.Eval[string](p, `return find("[data-action=suggest]").textContent`))
	p.Click("[data-action=suggest]")
	require.Contains(t, answered(p, 1), "ChatSDK resumes a stream")
	p.Click("[data-action=source]")
	p.Until(`find("#passage mark")`)
	require.Contains(t, test.Eval[string](p, `return find("#passage mark").textContent`), "ChatSDK resumes a stream")
}

func TestExampleOpensASourceAtItsPassage(t *testing.T) {
	t.Parallel()
	p := openForms(t, suite.Service(t))
	long := catsText
	for range 400 {
		long = "A paragraph about dogs, which are not asked for, nor wanted.\n\n" + long
	}
	drop(p, "#messages", markdown("cats.md", long))
	key, says := attached(p, "synced")
	require.Equal(t, "chosen for this chat", says)
	say(p, catsAsk)
	require.Contains(t, answered(p, 1), catsFact)
	require.Equal(t, []string{"true", `["` + key + `"]`}, []string{sent(p)["use_knowledgebase"], sent(p)["document_keys"]})

	opened := func() {
		t.Helper()
		p.Until(`find("#passage").open && find("#passage mark")`)
		require.Equal(t, []any{catsFact, true, true}, test.Eval[[]any](p, `
			const [mark, text] = [find("#passage mark"), find("#passage-text")];
			const [inner, outer] = [mark.getBoundingClientRect(), text.getBoundingClientRect()];
			return [mark.textContent, inner.top >= outer.top && inner.bottom <= outer.bottom && text.scrollTop > 0, document.activeElement === text];`),
			"the quoted words are marked and in sight")
	}
	p.Click("[data-action=source]")
	opened()
	require.Empty(t, test.Eval[legibility](p, contrasts).Low)
	p.Type(kb.Escape)
	p.Until(`!find("#passage").open`)
	require.True(t, test.Eval[bool](p, `return document.activeElement.dataset.action === "source"`), "the focus is back where it was")

	p.Reload()
	answered(p, 1)
	require.Equal(t, "1 document", test.Eval[string](p, `return find("#documents-choice").textContent`), "the choice outlives the page")
	p.Do(`find("[data-action=source]").focus()`)
	p.Type(kb.Enter)
	opened()
	p.Click("#passage-close")

	p.Do(`
		const body = JSON.stringify({ user_id: localStorage.getItem("chatsdk-demo-user") });
		const { access_token } = await (await fetch("/demo/token", { method: "POST", headers: { "content-type": "application/json" }, body })).json();
		await new ChatSDK({ baseUrl: location.origin, projectId: "demo", accessToken: access_token }).deleteDocument($1);`, key)
	p.Click("[data-action=source]")
	p.Until(`find("#passage-status").textContent.includes("deleted")`)
}

func TestExampleSendsImages(t *testing.T) {
	t.Parallel()
	p := openForms(t, suite.Service(t))
	pixel, err := base64.StdEncoding.DecodeString(onePixel)
	require.NoError(t, err)
	p.Do(`globalThis.chosen = new Promise((resolve) => (find("#files").click = resolve))`)
	p.Click("#attach")
	p.Do(`await chosen`)
	choose(t, p, "chosen.png", pixel)
	p.Until(`all("#attachments img").length === 1`)
	drop(p, "#form", image("dropped.png"), image("not wanted.png"))
	p.Until(`all("#attachments img").length === 3`)
	p.Do(`await Promise.all(all("#attachments img").map((image) => image.complete || new Promise((resolve) => (image.onload = resolve))))`)
	require.Equal(t, []string{"Remove “chosen.png”", "Remove “dropped.png”", "Remove “not wanted.png”"},
		test.Eval[[]string](p, `return all("#attachments button").map((button) => button.ariaLabel)`))
	p.Do(`all("#attachments [data-action=detach]").at(-1).focus()`)
	p.Type(kb.Enter)
	p.Until(`all("#attachments li").length === 2`)

	p.Click("#send")
	require.Equal(t, []any{0.0, "Say something about it"}, test.Eval[[]any](p, `return [all("article").length, find("#message").placeholder]`))
	say(p, "What is this?")
	require.Contains(t, answered(p, 1), "PNG")
	require.True(t, test.Eval[bool](p, `return find("#attachments").hidden`))
	shown := `[all("[data-role=user] [data-part=images] img").length,
		(await Promise.all(all("[data-role=user] img").map((image) => image.decode().then(() => image.naturalWidth)))).join()]`
	require.Equal(t, []any{2.0, "1,1"}, test.Eval[[]any](p, `return `+shown))
	p.Reload()
	answered(p, 1)
	require.Equal(t, []any{2.0, "1,1"}, test.Eval[[]any](p, `return `+shown), "the service has them")
	require.True(t, test.Eval[bool](p, `return all("[data-role=user] a").every(({ href }) => href.includes("/v3/chat/image/"))`))
}

// A message that could not be sent is put back unchanged, with its images.
func TestExampleGivesImagesBack(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openForms(t, service)
	drop(p, "#messages", [3]string{"no image.png", "image/png", base64.StdEncoding.EncodeToString([]byte("<svg/>"))})
	say(p, "Look")
	p.Until(`find(".failure")`)
	p.Click(".failure [data-action=edit]")
	p.Until(`find("#message").value === "Look" && all("#attachments [data-state=image]").length === 1 && !find("article")`)
}

func TestExampleSaysWhyADocumentFailed(t *testing.T) {
	t.Parallel()
	p := openForms(t, suite.Service(t))
	hostile := `<img src=x onerror="globalThis.fired=1"> & notes.pdf`
	drop(p, "#messages", [3]string{hostile, "application/pdf", base64.StdEncoding.EncodeToString([]byte("%PDF-1.7\nnot one"))})
	_, says := attached(p, "failed")
	require.Contains(t, says, "broken")
	require.Equal(t, "All documents", test.Eval[string](p, `return find("#documents-choice").textContent`))
	p.Click("#attachments [data-action=detach]")

	drop(p, "#messages", markdown("empty.md", ""))
	_, says = attached(p, "failed")
	require.Contains(t, says, "empty")
	p.Click("#attachments [data-action=detach]")

	script := `<script>globalThis.fired = 1</script><img src=x onerror=globalThis.fired=1>`
	drop(p, "#messages", markdown(`"><b>bold.md`, "# "+script+"\n\n"+catsFact+"\n"+script))
	attached(p, "synced")
	say(p, catsAsk)
	answered(p, 1)
	p.Click("[data-action=source]")
	p.Until(`find("#passage mark")`)
	p.Click("#passage-close")
	p.Click("#documents-choice")
	p.Until(`all("#documents-list li").length >= 2`)
	require.Equal(t, []any{0.0, false}, test.Eval[[]any](p, `
		return [all("#passage img, #passage script, #documents-list :is(img, b), #messages :is(img, script), #attachments :is(img, b)").length, "fired" in globalThis]`))
}

func TestExamplePicksDocuments(t *testing.T) {
	t.Parallel()
	service := suite.Service(t)
	p := openForms(t, service)
	imported(t, p, service)
	pick := func(selector string) {
		t.Helper()
		p.Click("#documents-choice")
		p.Until(`all("#documents-list li").length >= 4`)
		p.Click("#documents " + selector)
		p.Click("#documents-close")
	}
	label := func() string { return test.Eval[string](p, `return find("#documents-choice").textContent`) }
	say(p, "one")
	answered(p, 1)
	require.Equal(t, []string{"true", ""}, []string{sent(p)["use_knowledgebase"], sent(p)["document_keys"]}, "all by default")
	pick("input[value=none]")
	require.Equal(t, "No documents", label())
	say(p, "two")
	answered(p, 2)
	require.Equal(t, []string{"false", ""}, []string{sent(p)["use_knowledgebase"], sent(p)["document_keys"]})
	pick("li:nth-child(2) input")
	key := test.Eval[string](p, `return find("#documents-list li:nth-child(2)").dataset.document`)
	require.Equal(t, "1 document", label())
	say(p, "three")
	answered(p, 3)
	require.Equal(t, []string{"true", `["` + key + `"]`}, []string{sent(p)["use_knowledgebase"], sent(p)["document_keys"]})
	pick("li:nth-child(2) input")
	require.Equal(t, "All documents", label())

	p.Click("#documents-choice")
	p.Until(`all("#documents-list li").length >= 4`)
	p.Click("#documents-search")
	p.Type("packet")
	p.Until(`all("#documents-list li").length === 1`)
	require.Contains(t, test.Eval[string](p, `return find("#documents-list").textContent`), "Packet switching")
}

func TestExampleDeletesDocuments(t *testing.T) {
	t.Parallel()
	p := openForms(t, suite.Service(t))
	drop(p, "#messages", markdown("cats.md", catsText))
	key, _ := attached(p, "synced")
	label := func() string { return test.Eval[string](p, `return find("#documents-choice").textContent`) }
	require.Equal(t, "1 document", label())
	press := func(answer string) {
		t.Helper()
		p.Do(`find("[data-document='" + $1 + "'] [data-action=delete]").click()`, key)
		p.Until(`find("#confirm").open`)
		require.Contains(t, test.Eval[string](p, `return find("#confirm").innerText`), "Cats 🐈🐈")
		p.Click("#confirm [data-action=" + answer + "]")
		p.Until(`!find("#confirm").open`)
	}
	p.Click("#documents-choice")
	p.Until(`find("#documents-list [data-document='" + $1 + "'] input:checked")`, key)
	require.Empty(t, test.Eval[legibility](p, contrasts).Low)
	press("cancel")
	press("confirm")
	p.Until(`!find("#documents-list [data-document='" + $1 + "']")`, key)
	require.Equal(t, []bool{true, true}, test.Eval[[]bool](p, `
		return [find("#documents").open && find("#documents").contains(document.activeElement), find("#documents input[value=all]").checked];`),
		"the focus stays in the dialog, and the last choice is gone")
	require.Equal(t, "All documents", label())
	require.Contains(t, test.Eval[string](p, `return find("#attachments").textContent`), "is deleted")
	p.Click("#documents-close")
	say(p, catsAsk)
	require.NotContains(t, answered(p, 1), catsFact)
	require.Empty(t, sent(p)["document_keys"])
}

func TestExamplePicksAgentAndModel(t *testing.T) {
	t.Parallel()
	agents := filepath.Join(t.TempDir(), "agents.yaml")
	require.NoError(t, os.WriteFile(agents, []byte("agents:\n- id: a\n  name: Ann <b>\n- id: b\n  name: Ben\n  models: [other, more]\n"), 0o600))
	model := test.NewModel(t)
	service := suite.Service(t, append(model.Env(), "AGENTS="+agents)...)
	p := openForms(t, service)
	p.Until(`!find("#agent-choice").hidden && !find("#model-choice").hidden`)
	say(p, "one")
	answered(p, 1)
	require.Equal(t, []string{"", ""}, []string{sent(p)["agent_id"], sent(p)["model_name"]}, "the service's defaults")
	choose := func(selector, value string) {
		p.Do(`
			find($1).value = $2;
			find($1).dispatchEvent(new Event("change", { bubbles: true }));`, selector, value)
	}
	models := func() []string {
		return test.Eval[[]string](p, `return [...find("#model-choice").options].map((option) => option.value)`)
	}
	choose("#model-choice", "scripted")
	require.Equal(t, []string{"", "scripted", "other", "more"}, models(), "an agent without models of its own takes all")
	choose("#agent-choice", "b")
	require.Equal(t, []string{"", "other", "more"}, models())
	require.Equal(t, "Ben · other", test.Eval[string](p, `return find("#agent").textContent`), "it does not have what was chosen")
	choose("#model-choice", "other")
	require.Equal(t, "Ben · other", test.Eval[string](p, `return find("#agent").textContent`))
	say(p, "two")
	answered(p, 2)
	require.Equal(t, []string{"b", "other"}, []string{sent(p)["agent_id"], sent(p)["model_name"]})
	require.Equal(t, "Ben", test.Eval[string](p, `return all("[data-role=assistant] [data-part=agent]").at(-1).textContent`))
	p.Click("#new")
	p.Until(`find(".empty") && find("#agent-choice").value === ""`)
}
