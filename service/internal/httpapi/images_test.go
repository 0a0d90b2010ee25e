package httpapi_test

import (
	"bytes"
	"fmt"
	"net/http/httptest"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat/imagetest"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// file is an image of a form.
func file(name string, content []byte) field {
	return field{name: "images", value: string(content), file: name}
}

// sendImages makes a chat of ann's whose question has these images, and returns it with their
// addresses.
func (s *service) sendImages(files ...field) (chatID string, addresses []string) {
	w := s.send(as("ann"), files...)
	require.Equal(s.t, 200, w.Code, w.Body)
	chatID = decode[wire.SendMessageResponse](s.t, w).ChatID
	return chatID, s.images(chatID)
}

func (s *service) images(chatID string) []string {
	return decode[wire.ChatHistoryResponse](s.t, s.do("GET", "/project/demo/chat/"+chatID+"/all", as("ann"), "")).Messages[0].ImageURLs
}

func TestImagesAreServed(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	files := []struct {
		content   []byte
		mediaType string
	}{
		{imagetest.PNG(64, 48), "image/png"}, {imagetest.JPEG(3, 2), "image/jpeg"}, {imagetest.WebP(300, 1), "image/webp"}, {imagetest.GIF(1, 9), "image/gif"},
		{append(imagetest.GIF(1, 1), "<script>alert(1)</script>"...), "image/gif"},
	}
	for _, one := range files {
		_, addresses := s.sendImages(file("../../etc/x.svg", one.content))
		require.Len(t, addresses, 1)
		w := s.do("GET", addresses[0], nil, "")
		require.Equal(t, 200, w.Code, w.Body)
		require.Equal(t, one.content, w.Body.Bytes())
		for name, value := range map[string]string{
			"Content-Type": one.mediaType, "X-Content-Type-Options": "nosniff", "Cache-Control": "private, immutable, max-age=5400", "Content-Disposition": "inline",
			"Content-Security-Policy": "default-src 'none'; sandbox", "Content-Length": strconv.Itoa(len(one.content)),
		} {
			require.Equal(t, []string{value}, w.Header()[name], name)
		}
	}
	_, addresses := s.sendImages(file("a.png", files[0].content), file("b", files[1].content), file("a.png", files[0].content))
	require.Len(t, addresses, 3, "in their order, each with its own address")
	require.Equal(t, files[1].content, s.do("GET", addresses[1], nil, "").Body.Bytes())
	require.NotEqual(t, addresses[0], addresses[2])
}

// An address is valid for 60 to 90 minutes and for one image. Any other address is 404.
func TestAddressesOfImages(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	chatID, addresses := s.sendImages(file("a.png", imagetest.PNG(1, 1)), file("b.png", imagetest.PNG(1, 1)))
	address, err := url.Parse(addresses[0])
	require.NoError(t, err)
	other, err := url.Parse(addresses[1])
	require.NoError(t, err)
	exp, sig := address.Query().Get("exp"), address.Query().Get("sig")
	unknown := s.do("GET", "/v3/chat/image/img_unknown?exp="+exp+"&sig="+sig, nil, "")
	refusal(t, unknown, 404, wire.CodeNotFound)
	for name, target := range map[string]string{
		"no query":                   address.Path,
		"no exp":                     address.Path + "?sig=" + sig,
		"no sig":                     address.Path + "?exp=" + exp,
		"an empty sig":               address.Path + "?exp=" + exp + "&sig=",
		"a sig cut short":            address.Path + "?exp=" + exp + "&sig=" + sig[:62],
		"a sig in capitals":          address.Path + "?exp=" + exp + "&sig=" + strings.ToUpper(sig) + "A",
		"two sigs":                   address.Path + "?exp=" + exp + "&sig=" + sig + "&sig=" + sig,
		"a later exp":                address.Path + "?exp=" + exp + "0&sig=" + sig,
		"an exp that is not a time":  address.Path + "?exp=never&sig=" + sig,
		"the query of another image": address.Path + "?" + other.RawQuery,
		"an invalid query":           address.Path + "?exp=%zz",
	} {
		require.Equal(t, unknown.Body.String(), s.do("GET", target, as("ann"), "").Body.String(), name)
	}
	refusal(t, s.do("GET", strings.Replace(addresses[0], "image/img", "stream/img", 1), nil, ""), 401, wire.CodeAuthentication)

	s.now.at = noon.Add(30*time.Minute - time.Second)
	require.Equal(t, addresses, s.images(chatID), "the same for half an hour")
	w := s.do("GET", addresses[0], nil, "")
	require.Equal(t, "private, immutable, max-age=3601", w.Header().Get("Cache-Control"), "up to its end")
	s.now.at = noon.Add(30 * time.Minute)
	again := s.images(chatID)
	require.NotEqual(t, addresses, again)
	require.Equal(t, "private, immutable, max-age=5400", s.do("GET", again[0], nil, "").Header().Get("Cache-Control"))
	s.now.at = noon.Add(90*time.Minute - time.Second)
	require.Equal(t, 200, s.do("GET", addresses[0], nil, "").Code)
	s.now.at = noon.Add(90 * time.Minute)
	refusal(t, s.do("GET", addresses[0], nil, ""), 404, wire.CodeNotFound)
	require.Equal(t, 200, s.do("GET", again[0], nil, "").Code)

	w = s.do("DELETE", "/chat/delete", as("ann").json(), `{"project_id":"demo","chat_id":"`+chatID+`"}`)
	require.Equal(t, 200, w.Code)
	require.Equal(t, unknown.Body.String(), s.do("GET", again[0], nil, "").Body.String(), "removed with its chat")
}

// A browser asks again for what it has, and for parts.
func TestImagesInPartsAndAgain(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	content := append(imagetest.PNG(1, 1), make([]byte, 700<<10)...)
	for i := range 700 {
		content[1000*i+500] = byte(i)
	}
	_, addresses := s.sendImages(file("a.png", content))
	whole := s.do("GET", addresses[0], nil, "")
	require.True(t, bytes.Equal(content, whole.Body.Bytes()))
	etag := whole.Header().Get("ETag")
	for name, row := range map[string]struct {
		h      headers
		status int
		want   []byte
	}{
		"the same again":            {headers{"if-none-match": etag}, 304, nil},
		"another version":           {headers{"if-none-match": `"x"`}, 200, content},
		"the beginning":             {headers{"range": "bytes=0-9"}, 206, content[:10]},
		"a byte":                    {headers{"range": "bytes=500-500"}, 206, content[500:501]},
		"a part far inside":         {headers{"range": "bytes=300000-600100"}, 206, content[300000:600101]},
		"the end":                   {headers{"range": "bytes=-20"}, 206, content[len(content)-20:]},
		"the rest":                  {headers{"range": "bytes=700000-"}, 206, content[700000:]},
		"more than there is":        {headers{"range": "bytes=700000-9999999"}, 206, content[700000:]},
		"a part of the same":        {headers{"range": "bytes=5-6", "if-range": etag}, 206, content[5:7]},
		"a part of another version": {headers{"range": "bytes=5-6", "if-range": `"x"`}, 200, content},
		"another unit":              {headers{"range": "lines=5-6"}, 416, nil},
		"behind the end":            {headers{"range": "bytes=9999999-"}, 416, nil},
		"parts that are no numbers": {headers{"range": "bytes=a-b"}, 416, nil},
	} {
		w := s.do("GET", addresses[0], row.h, "")
		require.Equal(t, row.status, w.Code, name)
		if row.status == 416 {
			refusal(t, w, 416, wire.CodeValidation, "range")
			continue
		}
		require.True(t, bytes.Equal(row.want, w.Body.Bytes()), name)
		require.Equal(t, etag, w.Header().Get("ETag"))
		require.Equal(t, whole.Header().Get("Cache-Control"), w.Header().Get("Cache-Control"))
	}
	w := s.do("GET", addresses[0], headers{"range": "bytes=700000-700001,10-11"}, "")
	require.Equal(t, 206, w.Code)
	require.Contains(t, w.Body.String(), string(content[10:12]))
	w = s.do("HEAD", addresses[0], nil, "")
	require.Equal(t, fmt.Sprint(len(content)), w.Header().Get("Content-Length"))
	require.Empty(t, w.Body.Bytes())
}

// Addresses, like tokens, stay valid after a change of the secret.
func TestAddressesUnderAnOlderSecret(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.APISecrets = []string{secret} })
	_, addresses := s.sendImages(file("a.png", imagetest.PNG(1, 1)))
	for _, test := range []struct {
		secrets []string
		want    int
	}{{[]string{older, secret}, 200}, {[]string{older}, 404}} {
		config := s.config
		config.APISecrets = test.secrets
		w := httptest.NewRecorder()
		httpapi.New(config).ServeHTTP(w, httptest.NewRequest("GET", addresses[0], nil))
		require.Equal(t, test.want, w.Code)
	}
}

func TestImagesHaveLimits(t *testing.T) {
	t.Parallel()
	s := start(t, func(up *setup) { up.http.Limits.Images, up.http.Limits.ImageBytes = 3, 100<<10 })
	png := imagetest.PNG(1, 1)
	sized := func(n int) []byte { return append(imagetest.PNG(1, 1), make([]byte, n-len(png))...) }
	before := s.everything()
	tests := []struct {
		name   string
		fields []field
		status int
		code   string
		wrong  string
	}{
		{"one too many", []field{file("a", png), file("b", png), file("c", png), file("d", png)}, 413, wire.CodePayloadTooLarge, "images"},
		{"a byte too large", []field{file("a", png), file("b", sized(100<<10+1))}, 413, wire.CodePayloadTooLarge, "images"},
		{"far too large", []field{file("a", sized(2<<20))}, 413, wire.CodePayloadTooLarge, "images"},
		{"an SVG called PNG", []field{file("a.png", []byte(imagetest.SVG))}, 400, wire.CodeValidation, "images"},
		{"a bomb", []field{file("a.png", imagetest.HugePNG(1<<20, 1<<20))}, 413, wire.CodePayloadTooLarge, "images"},
		{"no file", []field{{name: "images", value: string(png)}}, 400, wire.CodeValidation, "images"},
		{"an empty file", []field{file("a.png", nil)}, 400, wire.CodeValidation, "images"},
		{"images don't raise the limit of the form", []field{file("a.png", sized(100<<10)), {name: "filler", value: strings.Repeat("a", 150<<10)}}, 413, wire.CodePayloadTooLarge, "filler"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			refusal(t, s.send(as("ann"), test.fields...), test.status, test.code, test.wrong)
		})
	}
	require.Equal(t, before, s.everything(), "nothing has changed")
	_, addresses := s.sendImages(file("a", sized(100<<10)), file("b", sized(100<<10)), file("c", sized(100<<10)))
	require.Len(t, addresses, 3)

	s = start(t, nil) // without limits of images
	_, addresses = s.sendImages(file("a", sized(1<<20)), file("b", png), file("c", png), file("d", png))
	require.Len(t, addresses, 4)
	refusal(t, s.send(as("ann"), file("a", sized(1<<20)), field{name: "filler", value: strings.Repeat("a", 150<<10)}), 413, wire.CodePayloadTooLarge, "filler")
}

// A repeat has the same files under the same names.
func TestImagesTellRequestsApart(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	h := as("ann").with("idempotency-key", "k")
	first := s.send(h, file("a.png", imagetest.PNG(1, 1)))
	require.Equal(t, 200, first.Code)
	again := s.send(h, file("a.png", imagetest.PNG(1, 1)))
	require.Equal(t, "true", again.Header().Get("Idempotent-Replayed"))
	require.Equal(t, first.Body.String(), again.Body.String())
	for name, fields := range map[string][]field{
		"other bytes": {file("a.png", imagetest.PNG(1, 2))}, "another name": {file("b.png", imagetest.PNG(1, 1))},
		"one more": {file("a.png", imagetest.PNG(1, 1)), file("a.png", imagetest.PNG(1, 1))}, "none": nil,
	} {
		w := s.send(h, fields...)
		require.Equal(t, 422, w.Code, name)
	}
}
