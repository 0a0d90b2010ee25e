package test

import (
	"fmt"
	"os"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is only a safeguard for steps that should take moments: nothing waits that long unless
// something hangs.
const patience = 60 * time.Second

// browser is started once for all tests of a package.
type browser interface {
	// tab opens an empty tab with its own cookies, cache and storage.
	tab(*console) (tab, error)
	close() error
}

// tab is the part of a browser that a [Page] needs.
type tab interface {
	// beside opens an empty tab that shares cookies, cache and storage.
	beside(*console) (tab, error)
	// before makes a script run in later documents, before their own scripts.
	before(script string) error
	// open navigates to an address and waits until it is loaded.
	open(address string) error
	reload() error
	// evaluate waits for the promise of a text that an expression returns.
	evaluate(expression string) (string, error)
	// settle waits until the console has everything that the page reported.
	settle() error
	// press presses the keys: characters and those of package kb.
	press(keys string, modifiers chromedp.Modifier) error
	// point moves the mouse.
	point(x, y float64) error
	// click waits for an element to be visible and clicks its middle.
	click(selector string) error
	// attach puts a file into a file input.
	attach(selector, path string) error
	// resize gives the page another screen size.
	resize(width, height int) error
	// prefer emulates a preference of the user.
	prefer(name, value string) error
	// offline cuts the page off from the network, or connects it again.
	offline(is bool) error
	// controls lists the visible elements that have one of the roles.
	controls(roles []string) ([]Control, error)
	close() error
}

// Browser names the browser that the tests drive: chromium, firefox or webkit, from BROWSER in the
// environment. The default is chromium.
func Browser() string {
	if name := os.Getenv("BROWSER"); name != "" {
		return name
	}
	return "chromium"
}

// startBrowser starts the browser. Its files are in folder.
func startBrowser(folder string) (browser, error) {
	switch Browser() {
	case "chromium":
		return startChromium(folder)
	case "firefox":
		return startFirefox(folder)
	case "webkit":
		return startWebKit(folder)
	}
	return nil, fmt.Errorf("BROWSER is %q, want chromium, firefox or webkit", Browser())
}

// shown is an expression that waits until an element is visible, scrolls to it if it is covered, and
// returns a promise of its middle, as JSON.
func shown(selector string) string {
	return function(`
		const find = () => {
			const element = document.querySelector($1);
			return element?.checkVisibility({ visibilityProperty: true }) && element.getBoundingClientRect().width > 0 ? element : undefined;
		};
		let element = find();
		if (!element) {
			await new Promise((resolve) => {
				const observer = new MutationObserver(() => {
					if (find()) {
						observer.disconnect();
						resolve();
					}
				});
				observer.observe(document, { subtree: true, childList: true, attributes: true });
			});
			element = find();
		}
		const middle = () => {
			const { x, y, width, height } = element.getBoundingClientRect();
			return [x + width / 2, y + height / 2];
		};
		if (!element.contains(document.elementFromPoint(...middle()))) element.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
		return middle();`, text(selector))
}
