package test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// firefox is a headless Firefox with its own profile, driven by WebDriver BiDi.
type firefox struct {
	program *program
	bidi    *bidi
}

// firefoxSettings keep Firefox from network requests that no test needs.
const firefoxSettings = `
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("app.normandy.enabled", false);
user_pref("nimbus.appId", "");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
`

var bidiAddress = regexp.MustCompile(`^WebDriver BiDi listening on (ws://\S+)`)

// startFirefox starts the program that FIREFOX names, or else the installed one. Its profile is in
// folder.
func startFirefox(folder string) (*firefox, error) {
	path, err := findProgram("FIREFOX", "firefox-esr", "firefox")
	if err != nil {
		return nil, err
	}
	profile, err := os.MkdirTemp(folder, "profile-")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(firefoxSettings), 0o600); err != nil {
		return nil, err
	}
	command := exec.Command(path, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0",
		// for prefer, because BiDi has no command for it
		"--remote-allow-system-access")
	command.Env = append(os.Environ(), "HOME="+profile)
	program, address, err := startAndRead(command, bidiAddress)
	if err != nil {
		return nil, err
	}
	f := &firefox{program: program}
	if f.bidi, err = dialBidi(address + "/session"); err != nil {
		return nil, errors.Join(err, f.close())
	}
	err = errors.Join(
		f.bidi.call("session.new", fields{"capabilities": fields{}}, nil),
		f.bidi.call("session.subscribe", fields{"events": []string{"log.entryAdded"}}, nil))
	if err != nil {
		return nil, errors.Join(err, f.close())
	}
	return f, nil
}

// findProgram returns the program that a variable of the environment names, or else the first
// installed one.
func findProgram(variable string, names ...string) (string, error) {
	if path := os.Getenv(variable); path != "" {
		return path, nil
	}
	for _, name := range names {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no %s found: run make test-browsers, which sets it up, or name one with %s", names[0], variable)
}

func (f *firefox) close() error {
	if f.bidi != nil {
		f.bidi.close()
	}
	f.program.close()
	return nil
}

func (f *firefox) tab(c *console) (tab, error) {
	var made struct{ UserContext string }
	if err := f.bidi.call("browser.createUserContext", fields{}, &made); err != nil {
		return nil, err
	}
	t, err := f.window(made.UserContext, c)
	if err != nil {
		return nil, err
	}
	t.owns = true
	return t, nil
}

// window opens a tab in its own window: in a window with several tabs the others are hidden, and
// their timers are slow.
func (f *firefox) window(user string, c *console) (*firefoxTab, error) {
	t := &firefoxTab{firefox: f, user: user, console: c, marks: map[string]chan struct{}{}}
	t.hands = hands{t}
	var made struct{ Context string }
	if err := f.bidi.call("browsingContext.create", fields{"type": "window", "userContext": user}, &made); err != nil {
		return nil, err
	}
	t.context = made.Context
	f.bidi.listen(t.context, t.note)
	return t, nil
}

// firefoxTab is a tab of Firefox.
type firefoxTab struct {
	*firefox
	hands
	// user and context are BiDi's user context and browsing context.
	user, context string
	// owns says that the user context ends with the tab.
	owns    bool
	console *console

	mu sync.Mutex
	// marks are the entries that settle waits for.
	marks map[string]chan struct{}
	next  int
}

func (t *firefoxTab) beside(c *console) (tab, error) { return t.window(t.user, c) }

func (t *firefoxTab) close() error {
	t.bidi.listen(t.context, nil)
	err := t.call("browsingContext.close", fields{}, nil)
	if t.owns {
		err = errors.Join(err, t.bidi.call("browser.removeUserContext", fields{"userContext": t.user}, nil))
	}
	return err
}

// call sends a command about the tab.
func (t *firefoxTab) call(method string, params fields, result any) error {
	params["context"] = t.context
	return t.bidi.call(method, params, result)
}

// ofFirefox recognises Firefox's own messages about what it refused.
var ofFirefox = regexp.MustCompile("^(Content-Security-Policy:|Cross-Origin Request Blocked:|Loading Worker from |Security Error: Content at )")

const mark = "the harness settles "

func (t *firefoxTab) note(entry logEntry) {
	if _, id, is := strings.Cut(entry.Text, mark); is {
		t.mu.Lock()
		defer t.mu.Unlock()
		if waiting := t.marks[entry.Type+id]; waiting != nil {
			close(waiting)
			delete(t.marks, entry.Type+id)
		}
		return
	}
	if entry.Type == "javascript" && entry.Level == "error" && !ofFirefox.MatchString(entry.Text) {
		t.console.add("uncaught: Uncaught " + entry.Text)
	}
	if entry.Method == "error" || entry.Method == "assert" {
		t.console.add("console: " + entry.Text)
	}
}

// settle makes the page report in both ways in which reports arrive, and waits for both.
func (t *firefoxTab) settle() error {
	t.mu.Lock()
	t.next++
	id := strconv.Itoa(t.next)
	said, thrown := make(chan struct{}), make(chan struct{})
	t.marks["console"+id], t.marks["javascript"+id] = said, thrown
	t.mu.Unlock()
	_, err := t.evaluate(`(async () => {
		const mark = ` + text(mark+id) + `;
		console.debug(mark);
		addEventListener("error", (event) => event.stopImmediatePropagation(), { once: true, capture: true });
		reportError(mark);
		return "";
	})()`)
	if err != nil {
		return err
	}
	return errors.Join(arrives(said), arrives(thrown))
}

func arrives(report <-chan struct{}) error {
	failsafe := time.NewTimer(patience)
	defer failsafe.Stop()
	select {
	case <-report:
		return nil
	case <-failsafe.C:
		return errors.New("the browser does not pass on what a page reports")
	}
}

func (t *firefoxTab) before(script string) error {
	return t.bidi.call("script.addPreloadScript", fields{"functionDeclaration": "() => {" + script + "\n}", "contexts": []string{t.context}}, nil)
}

func (t *firefoxTab) open(address string) error {
	return t.call("browsingContext.navigate", fields{"url": address, "wait": "complete"}, nil)
}

func (t *firefoxTab) reload() error {
	return t.call("browsingContext.reload", fields{"wait": "complete"}, nil)
}

func (t *firefoxTab) evaluate(expression string) (string, error) { return t.in(t.context, expression) }

// in evaluates an expression in a browsing context.
func (f *firefox) in(context, expression string) (string, error) {
	var got struct {
		Result           struct{ Value string }
		ExceptionDetails *struct{ Text string }
	}
	err := f.bidi.call("script.evaluate", fields{
		"expression": expression, "awaitPromise": true, "target": fields{"context": context},
	}, &got)
	if err == nil && got.ExceptionDetails != nil {
		err = errors.New(got.ExceptionDetails.Text)
	}
	return got.Result.Value, err
}

func (t *firefoxTab) act(actions []fields) error {
	if err := t.call("browsingContext.activate", fields{}, nil); err != nil {
		return err
	}
	return t.call("input.performActions", fields{"actions": actions}, nil)
}

type located struct{ Nodes []node }

type node struct{ SharedID string }

func (t *firefoxTab) locate(kind string, value any) (got located, err error) {
	err = t.call("browsingContext.locateNodes", fields{"locator": fields{"type": kind, "value": value}}, &got)
	return got, err
}

func (t *firefoxTab) attach(selector, path string) error {
	got, err := t.locate("css", selector)
	if err != nil {
		return err
	}
	if len(got.Nodes) == 0 {
		return fmt.Errorf("no element matches %s", selector)
	}
	return t.call("input.setFiles", fields{"element": fields{"sharedId": got.Nodes[0].SharedID}, "files": []string{path}}, nil)
}

func (t *firefoxTab) resize(width, height int) error {
	return t.call("browsingContext.setViewport", fields{"viewport": fields{"width": width, "height": height}, "devicePixelRatio": 2}, nil)
}

// preferences are the fields of Firefox's BrowsingContext.
var preferences = map[string]string{"prefers-color-scheme": "prefersColorSchemeOverride"}

// prefer sets the preference in the window around the page, because BiDi has no command for it, and
// waits until the page has it.
func (t *firefoxTab) prefer(name, value string) error {
	field := preferences[name]
	if field == "" {
		return fmt.Errorf("%s has no field in preferences: add it", name)
	}
	chrome, err := t.chrome()
	if err != nil {
		return err
	}
	if _, err := t.in(chrome, "gBrowser.selectedBrowser.browsingContext."+field+" = "+text(value)); err != nil {
		return err
	}
	_, err = t.evaluate(`(async () => {
		const query = matchMedia(` + text("("+name+": "+value+")") + `);
		if (!query.matches) await new Promise((resolve) => query.addEventListener("change", resolve, { once: true }));
		return "";
	})()`)
	return err
}

// chrome is the browsing context of the window around the page.
func (t *firefoxTab) chrome() (string, error) {
	type tree struct {
		Contexts []struct{ Context, ClientWindow string }
	}
	var page, windows tree
	err := errors.Join(
		t.bidi.call("browsingContext.getTree", fields{"root": t.context}, &page),
		t.bidi.call("browsingContext.getTree", fields{"moz:scope": "chrome"}, &windows))
	if err != nil {
		return "", err
	}
	for _, window := range windows.Contexts {
		if window.ClientWindow == page.Contexts[0].ClientWindow {
			return window.Context, nil
		}
	}
	return "", errors.New("the page has no window")
}

func (t *firefoxTab) offline(is bool) error {
	params := fields{"contexts": []string{t.context}, "networkConditions": nil}
	if is {
		params["networkConditions"] = fields{"type": "offline"}
	}
	return t.bidi.call("emulation.setNetworkConditions", params, nil)
}

// controls asks for the elements of a role, and for those of them without a name: BiDi finds
// elements by role and name, but returns neither.
func (t *firefoxTab) controls(roles []string) ([]Control, error) {
	var all []Control
	for _, role := range roles {
		withRole, err := t.locate("accessibility", fields{"role": role})
		if err != nil {
			return nil, err
		}
		nameless, err := t.locate("accessibility", fields{"role": role, "name": ""})
		if err != nil {
			return nil, err
		}
		for _, node := range withRole.Nodes {
			all = append(all, Control{Role: role, Named: !slices.Contains(nameless.Nodes, node)})
		}
	}
	return all, nil
}
