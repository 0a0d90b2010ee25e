package httpapi

import (
	"bufio"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	imagePath = "/v3/chat/image/"
	// imageLife is how long the address of an image can be fetched.
	imageLife = time.Hour
)

// addImage reads an image of a form. A file that doesn't begin like one is refused
// before the rest of it has come; what else it holds is looked at later.
func (f *form) addImage(part *multipart.Part, body *body, limits Limits) error {
	name := part.FormName()
	switch {
	case part.FileName() == "":
		return invalid(name+" must be files, each a part with a filename", name)
	case limits.Images > 0 && len(f.images) == limits.Images:
		return &fault.Error{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("images are too many, want at most %d", limits.Images), Fields: []string{name}}
	}
	from, sum := bufio.NewReader(part), sha256.New()
	head, err := from.Peek(chat.ImageHead)
	if err == nil || err == io.EOF {
		err = chat.CheckImage(head, len(f.images)+1)
	}
	if err != nil {
		return namedError(bodyError(err), name)
	}
	content, err := readImage(io.TeeReader(from, sum), body, limits.ImageBytes)
	if err != nil {
		return namedError(bodyError(err), name)
	}
	f.images = append(f.images, content)
	f.digest(name, digestOfFile(part, sum))
	return nil
}

// readImage reads a file that counts against a limit of its own, 0 for none,
// and not against that of its form.
func readImage(part io.Reader, body *body, limit int64) ([]byte, error) {
	before := body.limit
	if limit == 0 {
		body.limit = 0
	} else {
		body.allow(limit + 1)
		part = io.LimitReader(part, limit+1)
	}
	content, err := body.keep(part)
	body.limit = before
	body.allow(int64(len(content)))
	if err == nil && limit > 0 && int64(len(content)) > limit {
		return nil, &fault.Error{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("images: one is too large, want at most %d bytes each", limit)}
	}
	return content, err
}

// digestOfFile stands for a file, of which content is the checksum.
func digestOfFile(part *multipart.Part, content hash.Hash) digest {
	return digestOf("file", part.FormName(), part.FileName(), part.Header.Get("Content-Type"), string(content.Sum(nil)))
}

// addressImages makes addresses of the ids of images, for everybody who gets
// them: they can be fetched without credentials.
func (a *api) addressImages(messages []wire.Message) {
	expires := a.config.Now().Add(imageLife).Unix()
	for i := range messages {
		for n, id := range messages[i].ImageURLs {
			messages[i].ImageURLs[n] = fmt.Sprintf("%s%s?exp=%d&sig=%s", imagePath, url.PathEscape(id), expires, imageSignature(a.config.APISecrets[0], id, expires))
		}
	}
}

// imageSignature signs an address. No access token is a text with a line end,
// so that none can be made of a signature that is signed with the same secret.
func imageSignature(secret, id string, expires int64) string {
	signer := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(signer, "image\n%s\n%d", id, expires)
	return hex.EncodeToString(signer.Sum(nil))
}

// imagePart is how much of an image is held while it is served, in bytes.
const imagePart = 256 << 10

// sendImage serves GET /v3/chat/image/{image_id}. An address that is wrong in
// any way, or too old, is told from no other one: it is no credential.
func (a *api) sendImage(c *call) error {
	query, err := url.ParseQuery(c.r.URL.RawQuery)
	if err != nil || !a.isSigned(c.path["image_id"], query) {
		return fault.ErrNotFound
	}
	image, err := a.config.Chat.Image(c.r.Context(), a.config.ProjectID, c.path["image_id"])
	if err != nil {
		return err
	}
	if err := c.holdAnswer(min(image.Size, imagePart)); err != nil {
		return err
	}
	header := c.w.Header()
	header.Set("Content-Type", image.MediaType)
	header.Set("Content-Length", strconv.Itoa(image.Size))
	header.Set("Content-Disposition", "inline")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", "private")
	c.w.WriteHeader(http.StatusOK)
	if err := a.config.Chat.WriteImage(c.r.Context(), c.w, image); err != nil {
		a.config.Log.InfoContext(c.r.Context(), "image broken off", "request_id", c.id, "error", err)
		panic(http.ErrAbortHandler) // nobody takes a part for the whole
	}
	return nil
}

// isSigned tells whether the address of an image was given out here, with any
// of the secrets, within the last hour.
func (a *api) isSigned(id string, query url.Values) bool {
	if len(query["exp"]) != 1 || len(query["sig"]) != 1 {
		return false
	}
	expires, err := strconv.ParseInt(query.Get("exp"), 10, 64)
	if err != nil || a.config.Now().Unix() >= expires {
		return false
	}
	return slices.ContainsFunc(a.config.APISecrets, func(secret string) bool {
		return hmac.Equal([]byte(imageSignature(secret, id, expires)), []byte(query.Get("sig")))
	})
}
