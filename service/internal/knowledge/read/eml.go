package read

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net/mail"
	"net/textproto"
	"strings"

	"golang.org/x/net/html/charset"
)

// Limits of the parts of a mail.
const (
	maxMailDepth = 8
	maxMailParts = 500
)

// mailbox reads a mail (RFC 5322, RFC 2045) with the mails and files in it.
type mailbox struct {
	*builder
	parts int
}

func readEML(b *builder, data []byte) error {
	m := &mailbox{builder: b}
	return m.message(bytes.NewReader(data), 0)
}

var wordDecoder = mime.WordDecoder{CharsetReader: func(label string, from io.Reader) (io.Reader, error) { return charset.NewReaderLabel(label, from) }}

func decodedHeader(value string) string {
	if text, err := wordDecoder.DecodeHeader(value); err == nil {
		return text
	}
	return value
}

// message reads a mail: who wrote what to whom and when, its text, and its files.
func (m *mailbox) message(from io.Reader, depth int) error {
	message, err := mail.ReadMessage(from)
	if err != nil {
		return Broken
	}
	subject := decodedHeader(message.Header.Get("Subject"))
	if depth == 0 {
		m.title = subject
	}
	m.block(Heading, min(depth+1, 9), spaced(subject))
	var lines []string
	for _, name := range []string{"From", "To", "Cc", "Date"} {
		if value := decodedHeader(message.Header.Get(name)); value != "" {
			lines = append(lines, name+": "+spaced(value))
		}
	}
	m.block(Paragraph, 0, strings.Join(lines, "\n"))
	return m.part(textproto.MIMEHeader(message.Header), message.Body, depth)
}

// part reads a part of a mail: a text, a list of parts, a mail or a file.
func (m *mailbox) part(header textproto.MIMEHeader, body io.Reader, depth int) error {
	if m.parts++; m.parts > maxMailParts || depth > maxMailDepth {
		return TooMuchInside
	}
	media, params, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		media, params = "text/plain", nil
	}
	disposition, more, _ := mime.ParseMediaType(header.Get("Content-Disposition"))
	name := decodedHeader(more["filename"])
	if name == "" {
		name = decodedHeader(params["name"])
	}
	body = m.unwrapped(header.Get("Content-Transfer-Encoding"), body)
	switch {
	case strings.HasPrefix(media, "multipart/") && params["boundary"] != "":
		return m.list(media, multipart.NewReader(body, params["boundary"]), depth)
	case media == "message/rfc822":
		return m.message(body, depth+1)
	case disposition == "attachment" || name != "" || !strings.HasPrefix(media, "text/"):
		return m.attached(name, media, body, depth)
	}
	content, err := m.content(body)
	if err != nil {
		return err
	}
	if media == "text/html" {
		return m.html(content, params["charset"])
	}
	return m.plain(content, params["charset"])
}

// unwrapped takes off the encoding of a part's transfer. Each byte counts against the limit.
func (m *mailbox) unwrapped(encoding string, body io.Reader) io.Reader {
	switch strings.ToLower(strings.TrimSpace(encoding)) {
	case "quoted-printable":
		return quotedprintable.NewReader(body)
	case "base64":
		return base64.NewDecoder(base64.StdEncoding, body)
	}
	return body
}

func (m *mailbox) content(body io.Reader) ([]byte, error) {
	content, err := io.ReadAll(io.LimitReader(body, m.unpacked+1))
	if m.unpacked -= int64(len(content)); m.unpacked < 0 {
		return nil, TooMuchInside
	}
	if err != nil && len(content) == 0 {
		return nil, Broken
	}
	return content, nil // what can be read of a part that is cut
}

// list reads the parts of a list. Of the forms of one text the plain one is read, or the last that can be.
func (m *mailbox) list(media string, parts *multipart.Reader, depth int) error {
	before := len(m.blocks)
	for {
		part, err := parts.NextRawPart()
		if err != nil {
			return nil // io.EOF, or a list that is cut
		}
		if media == "multipart/alternative" && len(m.blocks) > before {
			continue
		}
		if err := m.part(part.Header, part, depth+1); err != nil {
			return err
		}
	}
}

func (m *mailbox) plain(content []byte, label string) error {
	if from, err := charset.NewReaderLabel(label, bytes.NewReader(content)); err == nil && label != "" {
		if text, err := io.ReadAll(from); err == nil {
			content = text
		}
	}
	return readPlain(m.builder, content)
}

func (m *mailbox) html(content []byte, label string) error {
	if from, err := charset.NewReaderLabel(label, bytes.NewReader(content)); err == nil && label != "" {
		if text, err := io.ReadAll(from); err == nil {
			content = text
		}
	}
	title := m.title
	err := readHTML(m.builder, content)
	m.title = title
	return err
}

// attached reads a file in a mail, or names it if it cannot be read.
func (m *mailbox) attached(name, media string, body io.Reader, depth int) error {
	content, err := m.content(body)
	if err != nil {
		return err
	}
	name = Name(name)
	kind, err := KindOf(name, content)
	isText := !strings.HasPrefix(media, "image/") && !strings.HasPrefix(media, "audio/") && !strings.HasPrefix(media, "video/")
	if err != nil || !isText || kind == Mail && depth > 2 {
		m.block(Paragraph, 0, "Attachment: "+name+" (not read)")
		return nil
	}
	inner := &builder{unpacked: m.unpacked}
	err = inner.read(kind, content)
	m.unpacked = inner.unpacked
	if errors.Is(err, TooMuchInside) {
		return err
	}
	if err != nil || len(inner.blocks) == 0 {
		m.block(Paragraph, 0, "Attachment: "+name+" (not read)")
		return nil
	}
	m.block(Heading, 1, "Attachment: "+name)
	for _, one := range inner.blocks {
		level := one.Level
		if one.Kind == Heading {
			level = min(level+1, 9)
		}
		m.block(one.Kind, level, string(inner.text[one.Start:one.End]))
	}
	return nil
}
