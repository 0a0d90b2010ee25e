package test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// webkit is WebKitGTK's MiniBrowser, driven by WebKitWebDriver. Each page has its
// own browser, since a driver has one session, and its own screen, since only one
// window of a screen has the focus.
type webkit struct {
	driver, browser, screen string
	// settings is the folder of GTK's settings.
	settings string

	mu       sync.Mutex
	next     int
	sessions map[string]*webkitSession
}

// narrow lets the window be as narrow as a phone: by default MiniBrowser's buttons
// are wider.
const narrow = `* { padding: 0; margin: 0; border-width: 0; min-width: 0; min-height: 0; font-size: 1px; }`

// startWebKit looks for the programs that each page starts.
func startWebKit(folder string) (*webkit, error) {
	driver, err := findProgram("WEBKIT_DRIVER", "WebKitWebDriver")
	screen, noScreen := findProgram("XVFB", "Xvfb")
	browsers, _ := filepath.Glob("/usr/lib/*/webkit2gtk-4.1/MiniBrowser") // the pattern is well formed
	browser, noBrowser := findProgram("MINIBROWSER", append(browsers, "MiniBrowser")...)
	settings := filepath.Join(folder, "gtk-3.0")
	if err := errors.Join(err, noScreen, noBrowser, os.Mkdir(settings, 0o700)); err != nil {
		return nil, err
	}
	if err := os.WriteFile(filepath.Join(settings, "gtk.css"), []byte(narrow), 0o600); err != nil {
		return nil, err
	}
	return &webkit{driver: driver, browser: browser, screen: screen, settings: folder, sessions: map[string]*webkitSession{}}, nil
}

func (w *webkit) close() error { return nil }

// webkitSession is a browser with its tabs.
type webkitSession struct {
	webkit *webkit
	id     string

	programs []*program

	// mu is held while commands go to one of the tabs.
	mu sync.Mutex
	webdriver
	current string

	scripts sync.Mutex
	before  []string

	isOffline atomic.Bool
}

// displayNumber is what Xvfb writes where -displayfd says.
var displayNumber = regexp.MustCompile(`^(\d+)$`)

func (w *webkit) tab(c *console) (tab, error) {
	w.mu.Lock()
	w.next++
	s := &webkitSession{webkit: w, id: strconv.Itoa(w.next)}
	w.sessions[s.id] = s
	w.mu.Unlock()
	if err := s.start(); err != nil {
		return nil, errors.Join(err, s.close())
	}
	t := s.window(c)
	t.owns = true
	if err := s.get("/window", &t.handle); err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.current = t.handle
	return t, nil
}

func (s *webkitSession) start() error {
	screen, number, err := startAndRead(exec.Command(s.webkit.screen, "-displayfd", "2", "-nolisten", "tcp", "-screen", "0", "1280x1024x24"), displayNumber)
	if err != nil {
		return err
	}
	s.programs = append(s.programs, screen)
	port, err := freePort()
	if err != nil {
		return err
	}
	command := exec.Command(s.webkit.driver, "--port="+port)
	command.Env = append(os.Environ(), "DISPLAY=:"+number, "XDG_CONFIG_HOME="+s.webkit.settings, "GDK_BACKEND=x11")
	driver, err := start(command)
	if err != nil {
		return err
	}
	s.programs = append(s.programs, driver)
	s.address = "http://127.0.0.1:" + port
	s.client = http.Client{Transport: &http.Transport{}, Timeout: patience}
	if err := answers("127.0.0.1:"+port, driver.ended); err != nil {
		return err
	}
	err = s.begin(fields{"webkitgtk:browserOptions": fields{
		"binary": s.webkit.browser,
		"args":   []string{"--automation", "--enable-tabs-to-links=1", "--user-agent=" + agent + s.id},
	}})
	if err != nil {
		return err
	}
	// A script timeout would be a timer in the page, and tests count those. The
	// client has its own timeout.
	return s.post("/timeouts", fields{"script": nil}, nil)
}

// freePort is a port that nothing listens on: WebKitWebDriver does not report
// which one it took.
func freePort() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(listener.Addr().String())
	return port, errors.Join(err, listener.Close())
}

// answers waits until a program that does not report it listens.
func answers(address string, ended <-chan struct{}) error {
	failsafe := time.NewTimer(patience)
	defer failsafe.Stop()
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		if conn, err := net.Dial("tcp", address); err == nil {
			return conn.Close()
		}
		select {
		case <-again.C:
		case <-ended:
			return fmt.Errorf("the program for %s ended", address)
		case <-failsafe.C:
			return fmt.Errorf("nothing listens on %s", address)
		}
	}
}

// agent is the user agent of a page, up to the number of its session, by which
// an Origin knows whose scripts to serve.
const agent = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.0 Safari/605.1.15 Session/"

// close ends the programs without asking: a driver whose page is still busy
// would not answer.
func (s *webkitSession) close() error {
	s.webkit.mu.Lock()
	delete(s.webkit.sessions, s.id)
	s.webkit.mu.Unlock()
	s.client.CloseIdleConnections()
	for _, program := range slices.Backward(s.programs) {
		program.close()
	}
	return nil
}

// webkitTab is a window of a session.
type webkitTab struct {
	*webkitSession
	hands
	console *console
	// handle is WebDriver's name of the window.
	handle string
	// owns says that the session ends with the tab.
	owns bool
}

func (s *webkitSession) window(c *console) *webkitTab {
	t := &webkitTab{webkitSession: s, console: c}
	t.hands = hands{t}
	return t
}

func (t *webkitTab) beside(c *console) (tab, error) {
	var made struct{ Handle string }
	other := t.window(c)
	err := t.with(func() error { return t.post("/window/new", fields{"type": "window"}, &made) })
	other.handle = made.Handle
	return other, err
}

// with sends commands to the tab.
func (t *webkitTab) with(commands func() error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.current != t.handle {
		if err := t.post("/window", fields{"handle": t.handle}, nil); err != nil {
			return err
		}
		t.current = t.handle
	}
	return commands()
}

func (t *webkitTab) close() error {
	if t.owns {
		return t.webkitSession.close()
	}
	return t.with(func() error { return t.delete("/window") })
}

// before makes the script run in all tabs that share cookies: it comes with the
// document, see webkit.inject.
func (t *webkitTab) before(script string) error {
	t.scripts.Lock()
	defer t.scripts.Unlock()
	if !slices.Contains(t.webkitSession.before, script) {
		t.webkitSession.before = append(t.webkitSession.before, script)
	}
	return nil
}

func (t *webkitTab) open(address string) error {
	return t.leave(func() error { return t.post("/url", fields{"url": address}, nil) })
}

func (t *webkitTab) reload() error {
	return t.leave(func() error { return t.post("/refresh", nil, nil) })
}

// leave collects the document's reports and leaves it.
func (t *webkitTab) leave(command func() error) error {
	if err := t.settle(); err != nil {
		return err
	}
	if err := t.with(command); err != nil {
		return err
	}
	if t.script() == "" {
		return nil
	}
	if is, err := t.evaluate(`Promise.resolve(String("reported" in globalThis))`); err != nil || is != "true" {
		return errors.Join(err, errors.New("no Origin serves the page, so that no script can run before its own"))
	}
	return nil
}

func (t *webkitTab) settle() error {
	got, err := t.evaluate(`(async () => {
		for (let turns = 0; turns < 2; turns++) {
			const { port1, port2 } = new MessageChannel();
			await new Promise((resolve) => {
				port1.onmessage = resolve;
				port2.postMessage(0);
			});
		}
		return JSON.stringify(globalThis.reported?.() ?? []);
	})()`)
	if err != nil {
		return err
	}
	var reports []string
	err = json.Unmarshal([]byte(got), &reports)
	for _, report := range reports {
		t.console.add(report)
	}
	return err
}

func (t *webkitTab) evaluate(expression string) (value string, err error) {
	err = t.with(func() error {
		value, err = t.webdriver.evaluate(expression)
		return err
	})
	return value, err
}

func (t *webkitTab) act(actions []fields) error {
	return t.with(func() error { return t.post("/actions", fields{"actions": actions}, nil) })
}

func (t *webkitTab) attach(selector, path string) error {
	return t.with(func() error {
		var element map[string]string
		if err := t.post("/element", fields{"using": "css selector", "value": selector}, &element); err != nil {
			return err
		}
		return t.post("/element/"+element[elementKey]+"/value", fields{"text": path}, nil)
	})
}

// resize sizes the window, which is taller than the page. It stays under the mouse,
// so that it keeps the focus.
func (t *webkitTab) resize(width, height int) error {
	for range 2 { // the first makes the window's own parts as tall as they will be
		frame, err := t.evaluate(`Promise.resolve(String(outerHeight - innerHeight))`)
		if err != nil {
			return err
		}
		more, err := strconv.Atoi(frame)
		if err != nil {
			return err
		}
		err = t.with(func() error {
			return t.post("/window/rect", fields{"x": 460, "y": 200, "width": width, "height": height + more}, nil)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// prefer changes the media queries of the page's styles to the preference, since
// WebDriver has no command for it.
func (t *webkitTab) prefer(name, value string) error {
	_, err := t.evaluate(function(`
		const asks = new RegExp("\\("+ $1 + ":\\s*(\\S+)\\)");
		const visit = (rules) => {
			for (const rule of rules) {
				if (rule instanceof CSSMediaRule) {
					rule.asked ??= rule.media.mediaText;
					const wanted = rule.asked.match(asks)?.[1];
					if (wanted) rule.media.mediaText = wanted === $2 ? "all" : "not all";
				}
				if (rule.cssRules) visit(rule.cssRules);
			}
		};
		for (const sheet of document.styleSheets) visit(sheet.cssRules);
		if ($1 === "prefers-color-scheme") document.documentElement.style.colorScheme = $2;`, text(name), text(value)))
	return err
}

// offline makes every Origin break off the browser's requests, since WebDriver has
// no command for it.
func (t *webkitTab) offline(is bool) error {
	t.isOffline.Store(is)
	return nil
}

func (t *webkitTab) controls(roles []string) (all []Control, err error) {
	err = t.with(func() error {
		var elements []map[string]string
		if err := t.post("/execute/sync", fields{"args": []any{}, "script": `
			return [...document.querySelectorAll("body, body *")].filter((element) => element.checkVisibility({ visibilityProperty: true }));`}, &elements); err != nil {
			return err
		}
		for _, element := range elements {
			var role, name string
			path := "/element/" + element[elementKey]
			if err := errors.Join(t.get(path+"/computedrole", &role), t.get(path+"/computedlabel", &name)); err != nil {
				return err
			}
			if slices.Contains(roles, role) {
				all = append(all, Control{Role: role, Named: name != ""})
			}
		}
		return nil
	})
	return all, err
}
