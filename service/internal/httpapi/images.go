package httpapi

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

const (
	imagePath = "/v3/chat/image/"
	// An address of an image works for imageLife at least, and stays the same for imageRound, so that
	// what reads it again finds the image in the browser's cache.
	imageLife  = time.Hour
	imageRound = 30 * time.Minute
)

// addressImages replaces ids of images by signed addresses, which need no credentials.
func (a *api) addressImages(messages []wire.Message) {
	for i := range messages {
		messages[i].ImageURLs = a.addressesOf(messages[i].ImageURLs)
	}
}

func (a *api) addressesOf(ids []string) (addresses []string) {
	expires := a.config.Now().Truncate(imageRound).Add(imageRound + imageLife).Unix()
	for _, id := range ids {
		if images.IsID(id) {
			id = fmt.Sprintf("%s%s?exp=%d&sig=%s", imagePath, url.PathEscape(id), expires, imageSignature(a.config.APISecrets[0], id, expires))
		}
		addresses = append(addresses, id)
	}
	return addresses
}

// addressedIn returns the data of an event with addresses in place of the ids of images: those of the object itself, or of
// its message.
func (a *api) addressedIn(data []byte) []byte {
	var event map[string]json.RawMessage
	var ids []string
	if json.Unmarshal(data, &event) != nil {
		return data
	}
	switch message := event["message"]; {
	case len(message) > 0:
		event["message"] = a.addressedIn(message)
	case json.Unmarshal(event["image_urls"], &ids) == nil && slices.ContainsFunc(ids, images.IsID):
		event["image_urls"] = encodeJSON(a.addressesOf(ids))
	default:
		return data
	}
	return encodeJSON(event)
}

// imageSignature signs an address. The signed text holds a line end, which no access token does,
// so that a signature with the same secret can't be used as a token.
func imageSignature(secret, id string, expires int64) string {
	signer := hmac.New(sha256.New, []byte(secret))
	_, _ = fmt.Fprintf(signer, "image\n%s\n%d", id, expires)
	return hex.EncodeToString(signer.Sum(nil))
}

// imagePart is how many bytes of an image are held while it is served.
const imagePart = 256 << 10

// sendImage serves GET /v3/chat/image/{image_id}: the file, a part of it, or only 304, as the client
// asks. The error doesn't say what is wrong with an address, or that it has expired.
func (a *api) sendImage(c *exchange) error {
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
	expires, _ := strconv.ParseInt(query.Get("exp"), 10, 64) // isSigned has read it
	header := c.w.Header()
	header.Set("Content-Type", image.MediaType)
	header.Set("Content-Disposition", "inline")
	header.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	header.Set("Cache-Control", fmt.Sprintf("private, immutable, max-age=%d", expires-a.config.Now().Unix()))
	header.Set("ETag", `"`+image.ID+`"`)
	file := newImageFile(image.Size, func(w io.Writer) error { return a.config.Chat.WriteImage(c.r.Context(), w, image) })
	defer file.Close()
	if err := c.serveContent("", time.Time{}, file); err != nil {
		return err
	}
	if file.err != nil {
		a.config.Log.InfoContext(c.r.Context(), "sending an image was interrupted", "request_id", c.id, "error", file.err)
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
	return nil
}

// isSigned reports whether this service gave out the address of an image that has not expired, signed
// with any of the secrets.
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
