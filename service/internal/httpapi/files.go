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

// mediaTypes of the files that a site may hold. What the machine knows of types
// differs from one to the next, and a wrong one stops a page: nosniff is set.
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

// framing forbids other pages to show one of ours in a frame, where a visitor could
// be made to click on something unseen. A policy in a page itself cannot forbid it.
const framing = "frame-ancestors 'none'"

// site serves files: no lists of folders, no dotfiles, nothing outside, and no
// links.
type site struct {
	files fs.FS
	// policy is the Content-Security-Policy of each file.
	policy string
	// pageCaching is the Cache-Control of pages. All else is kept, and asked about each time.
	pageCaching string
}

// Values of Cache-Control.
const (
	askAgain = "no-cache"
	keepNot  = "no-store"
)

// serve answers for one folder. A folder in it is its index.html.
func (s site) serve(folder string) serve {
	return func(c *call) error {
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

// fileName makes the name of a file of a path that is still escaped.
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

// withSlash is the address of a folder, in which the names on its page hold.
func withSlash(address *url.URL) string {
	slashed := address.EscapedPath() + "/"
	if address.RawQuery != "" {
		slashed += "?" + address.RawQuery
	}
	return slashed
}

// open opens a regular file. It follows no link, which may lead to another file, and
// opens no pipe or device, which would wait for a writer.
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

// send sends a file, in parts or not at all where the client wants no more.
func (s site) send(c *call, name string) error {
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
	http.ServeContent(c.w, c.r, name, info.ModTime(), content)
	return nil
}
