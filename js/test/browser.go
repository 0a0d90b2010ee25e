package test

import (
	"fmt"
	"os"
	"time"

	"github.com/chromedp/chromedp"
)

// patience is a failsafe for what should take moments: nothing waits for it
// unless something hangs.
const patience = 60 * time.Second

// browser starts once for all tests of a package.
type browser interface {
	// tab opens an empty tab with cookies, cache and storage of its own.
	tab(*console) (tab, error)
	close() error
}

// tab is what a [Page] needs of a browser.
type tab interface {
	// beside opens an empty tab that shares cookies, cache and storage.
	beside(*console) (tab, error)
	// before has a script run in the documents to come, before their own.
	before(script string) error
	// open leaves for an address and waits until it is loaded.
	open(address string) error
	reload() error
	// evaluate waits for the promise of a text that an expression gives.
	evaluate(expression string) (string, error)
	// settle waits until the console has all that the page reported.
	settle() error
	// press presses the keys, characters and those of package kb.
	press(keys string, modifiers chromedp.Modifier) error
	// point moves the mouse.
	point(x, y float64) error
	// click waits for an element to be visible and clicks its middle.
	click(selector string) error
	// attach returns a file to the input of a file.
	attach(selector, path string) error
	// resize returns the page the size of another screen.
	resize(width, height int) error
	// prefer has the page believe in a preference of its reader.
	prefer(name, value string) error
	// offline cuts the page off from the network, or connects it again.
	offline(is bool) error
	// controls lists the elements that have one of the roles, and show.
	controls(roles []string) ([]Control, error)
	close() error
}

// Browser names the browser that the tests drive: chromium, firefox or webkit,
// as BROWSER in the environment says. Without it, it is chromium.
func Browser() string {
	if name := os.Getenv("BROWSER"); name != "" {
		return name
	}
	return "chromium"
}

// startBrowser starts the browser. What it writes lies in folder.
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

// shown is an expression that gives the promise of the middle of an element, as
// JSON, once the element shows and no other lies above it.
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
