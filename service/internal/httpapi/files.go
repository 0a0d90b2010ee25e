package httpapi

import (
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"strings"
)

// mediaTypes of the files that a site may hold. The machine's own list differs between systems,
// and a wrong type breaks a page because nosniff is set.
var mediaTypes = map[string]string{
	".css":  "text/css; charset=utf-8",
	".html": "text/html; charset=utf-8",
	".ico":  "image/x-icon",
	".js":   "text/javascript; charset=utf-8",
	".json": "application/json",
	".map":  "application/json",
	".md":   "text/plain; charset=utf-8",
	".mjs":  "text/javascript; charset=utf-8",
	".png":  "image/png",
	".svg":  "image/svg+xml",
	".ts":   "text/plain; charset=utf-8",
	".txt":  "text/plain; charset=utf-8",
	".wasm": "application/wasm",
}

// framing keeps other pages from showing a page of ours in a frame, where a visitor could be
// tricked into clicking on something unseen. A policy inside the page cannot forbid that.
const framing = "frame-ancestors 'none'"

// site serves regular files: no folder listings, no dotfiles, no links, and nothing outside of
// the folder.
type site struct {
	files fs.FS
	// policy is the Content-Security-Policy of each file.
	policy string
	// pageCaching is the Cache-Control of pages. Other files may be cached, but are revalidated
	// each time.
	pageCaching string
}

// Values of Cache-Control.
const (
	askAgain = "no-cache"
	keepNot  = "no-store"
)

// serve serves one folder. A path that is a folder gets the folder's index.html.
func (s site) serve(folder string) serve {
	return func(c *exchange) error {
		name, ok := fileName(folder, c.path["path"])
		if !ok {
			return errNoPath
		}
		if strings.HasSuffix(c.path["path"], "/") || c.path["path"] == "" {
			return s.send(c, path.Join(name, "index.html"))
		}
		if info, err := fs.Lstat(s.files, name); err == nil && info.IsDir() {
			return redirectTo(withSlash(c.r.URL))(c)
		}
		return s.send(c, name)
	}
}

// fileName returns the file's name for a path that is still escaped.
func fileName(folder, escaped string) (string, bool) {
	name := folder
	for part := range strings.SplitSeq(strings.TrimSuffix(escaped, "/"), "/") {
		if escaped == "" {
			break
		}
		part, err := url.PathUnescape(part)
		if err != nil || part == "" || strings.HasPrefix(part, ".") || strings.ContainsAny(part, "/\\\x00") {
			return "", false
		}
		name = path.Join(name, part)
	}
	return name, fs.ValidPath(name)
}

// withSlash adds the slash to a folder's address, so that relative links on its page work.
func withSlash(address *url.URL) string {
	slashed := address.EscapedPath() + "/"
	if address.RawQuery != "" {
		slashed += "?" + address.RawQuery
	}
	return slashed
}

// open opens a regular file. It doesn't follow links, which may lead to another file, and doesn't
// open pipes or devices, which would block.
func (s site) open(name string) (fs.File, error) {
	parts := strings.Split(name, "/")
	for i := range parts {
		info, err := fs.Lstat(s.files, strings.Join(parts[:i+1], "/"))
		isLast := i == len(parts)-1
		if err != nil || isLast && !info.Mode().IsRegular() || !isLast && !info.IsDir() {
			return nil, errNoPath
		}
	}
	return s.files.Open(name)
}

// send sends a file, a part of it, or only 304, as the client asks.
func (s site) send(c *exchange, name string) error {
	file, err := s.open(name)
	if err != nil {
		return errNoPath
	}
	defer file.Close()
	info, err := file.Stat()
	content, seeks := file.(io.ReadSeeker)
	if err != nil || !seeks || !info.Mode().IsRegular() {
		return errNoPath
	}
	mediaType := mediaTypes[path.Ext(name)]
	if mediaType == "" {
		mediaType = "application/octet-stream"
	}
	header := c.w.Header()
	header.Set("Content-Type", mediaType)
	header.Set("Content-Security-Policy", s.policy)
	header.Set("X-Frame-Options", "DENY")
	header.Set("Cache-Control", askAgain)
	if path.Ext(name) == ".html" {
		header.Set("Cache-Control", s.pageCaching)
	}
	header.Set("ETag", fmt.Sprintf(`"%x-%x"`, info.Size(), info.ModTime().UnixNano()))
	return c.serveContent(name, info.ModTime(), content)
}

func redirectTo(address string) serve {
	return func(c *exchange) error {
		c.w.Header().Set("Location", address)
		c.w.WriteHeader(http.StatusFound)
		return nil
	}
}
