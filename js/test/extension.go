package test

import (
	"crypto/sha256"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"
)

// ExtensionPage opens a page of the unpacked extension in folder, an absolute path, in its own
// Chromium.
func (s *Suite) ExtensionPage(t testing.TB, folder, name string, scripts ...string) *Page {
	b, err := startChromium(s.folder,
		chromedp.Flag("disable-extensions", false),
		chromedp.Flag("disable-extensions-except", folder),
		chromedp.Flag("load-extension", folder),
	)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.close()) })
	tab := func(c *console) (tab, error) { return openChromiumTab(b.ctx, c) } // extensions only run in the first context
	return open(t, tab, "chrome-extension://"+extensionID(folder)+"/"+name, scripts)
}

// extensionID is the id that Chromium gives to an unpacked extension: the first half of its
// path's SHA-256, with the letters a to p for the digits.
func extensionID(folder string) string {
	sum := sha256.Sum256([]byte(folder))
	var id []byte
	for _, b := range sum[:16] {
		id = append(id, 'a'+b>>4, 'a'+b&15)
	}
	return string(id)
}
