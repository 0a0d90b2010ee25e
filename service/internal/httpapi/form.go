package httpapi

import (
	"bufio"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime/multipart"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/strictjson"
)

// formFrame is room for everything in a form other than its values.
const formFrame = 64 << 10

// textFields are the fields of a send that hold text.
var textFields = []string{
	wire.FieldMessage, wire.FieldProjectID, wire.FieldChatID, wire.FieldAgentType, wire.FieldAgentID,
	wire.FieldMetadata, wire.FieldModelName, wire.FieldUseKnowledgebase, wire.FieldIsTest, wire.FieldGoogleSearch,
	wire.FieldIgnoreChatHistory, wire.FieldSkipStream, wire.FieldFormatInstructions, wire.FieldExampleJSON, wire.FieldDocumentKeys,
	wire.FieldParentID, wire.FieldEdits, wire.FieldPageTools, wire.FieldToolCalls, wire.FieldReasoning,
}

// form is the form of a send as it arrived.
type form struct {
	// texts are the fields that hold text.
	texts map[string]string
	// images are the files of the field "images".
	images [][]byte
	// parts are digests of all fields except the uncounted ones; unknown fields are included.
	parts []digest
}

// readForm reads the form of a send while it arrives, without a file on the disk.
func (c *exchange) readForm() (form, error) {
	limits := c.api.config.Limits
	fields := form{texts: map[string]string{}}
	err := c.eachPart(limits.formBytes(), func(part *multipart.Part, body *body) error {
		if part.FormName() == wire.FieldImages {
			return fields.addImage(part, body, limits)
		}
		return fields.add(part, body)
	})
	return fields, err
}

// eachPart reads a form, up to a limit, and calls add for each part as it arrives.
func (c *exchange) eachPart(limit int64, add func(*multipart.Part, *body) error) error {
	parameters, err := c.wants("multipart/form-data")
	if err != nil {
		return err
	}
	if parameters["boundary"] == "" {
		return invalid("The form's content type has no boundary")
	}
	// A form that announces more than the limit is still read up to the limit, so that the error
	// can name a field that is refused or too long.
	body := c.openBody(limit)
	parts := multipart.NewReader(body, parameters["boundary"])
	for {
		part, err := body.part(parts)
		if err == io.EOF { // a wrapped io.EOF means that the form was cut short
			break
		}
		if err != nil {
			return bodyError(err)
		}
		if err := add(part, body); err != nil {
			return err
		}
	}
	// What follows the form doesn't count, but must arrive: a body that was cut short is refused
	// wherever it was cut.
	if _, err := io.Copy(io.Discard, body); err != nil {
		return bodyError(err)
	}
	c.closeBody()
	return nil
}

// formBytes is the largest size of a form without its images. A character of the message takes up
// to four bytes, and a line end takes two.
func (l Limits) formBytes() int64 {
	if l.JSONBytes == 0 || l.MessageCharacters == 0 {
		return 0
	}
	return l.JSONBytes + utf8.UTFMax*int64(l.MessageCharacters) + formFrame
}

// add reads one part. Unknown fields are ignored, but they count when two forms are compared.
func (f *form) add(part *multipart.Part, body *body) error {
	name := part.FormName()
	known := slices.Contains(textFields, name)
	if _, twice := f.texts[name]; twice {
		return invalid(name+" occurs twice in the form", name)
	}
	if known && part.FileName() != "" {
		return invalid(name+" must be text, not a file", name)
	}
	if part.FileName() != "" {
		return f.pass(part)
	}
	content, err := body.keep(part)
	if err != nil {
		return namedError(bodyError(err), name)
	}
	text := lineEnds.Replace(string(content))
	f.digest(name, digestOf("field", name, text))
	if known {
		return f.setText(name, text)
	}
	body.call.letGo(int64(len(content)))
	return nil
}

// pass skips a file in an unknown field.
func (f *form) pass(part *multipart.Part) error {
	content := sha256.New()
	if _, err := io.Copy(content, part); err != nil {
		return namedError(bodyError(err), part.FormName())
	}
	f.digest(part.FormName(), digestOfFile(part, content))
	return nil
}

func (f *form) digest(name string, of digest) {
	if !slices.Contains(uncounted, name) {
		f.parts = append(f.parts, of)
	}
}

func (f *form) setText(name, text string) error {
	if !utf8.ValidString(text) {
		return invalid(name+" is not valid UTF-8", name)
	}
	if strings.Contains(text, "\x00") {
		return invalidField(name, strictjson.ErrNUL.Error())
	}
	f.texts[name] = text
	return nil
}

// lineEnds undoes what browsers do to line ends in a form.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// namedError adds the field to a refusal that names none. It doesn't change temporary
// refusals, because the field did not cause them.
func namedError(err error, name string) error {
	var known *fault.Error
	if errors.As(err, &known) && known.Fields == nil && known.RetryAfter == 0 {
		named := *known
		named.Fields = []string{name}
		return &named
	}
	return err
}

// send turns the form into a chat.Send, and reports whether the answer may be a stream.
func (f *form) send() (send chat.Send, stream bool, err error) {
	if err := f.check(); err != nil {
		return chat.Send{}, false, err
	}
	metadata, err := f.metadata()
	if err != nil {
		return chat.Send{}, false, err
	}
	if err := f.checkExample(); err != nil {
		return chat.Send{}, false, err
	}
	documents, err := f.documentKeys()
	if err != nil {
		return chat.Send{}, false, err
	}
	return chat.Send{
		ChatID: f.texts[wire.FieldChatID], Message: f.texts[wire.FieldMessage], Images: f.images,
		Options: answering.Options{
			AgentID: f.texts[wire.FieldAgentID], AgentType: f.texts[wire.FieldAgentType], ModelName: f.texts[wire.FieldModelName],
			GoogleSearch:       f.texts[wire.FieldGoogleSearch] == "true",
			IgnoreChatHistory:  f.texts[wire.FieldIgnoreChatHistory] == "true",
			FormatInstructions: f.texts[wire.FieldFormatInstructions], ExampleJSON: f.texts[wire.FieldExampleJSON],
			UseKnowledgebase: f.boolean(wire.FieldUseKnowledgebase), DocumentKeys: documents,
		},
		Metadata: metadata, IsTest: f.texts[wire.FieldIsTest] == "true",
		ParentID: f.texts[wire.FieldParentID], Edits: f.texts[wire.FieldEdits],
		Offer: chat.Offer{
			PageTools: wire.JSON(f.texts[wire.FieldPageTools]), Calls: f.texts[wire.FieldToolCalls] == "true",
			Reasoning: f.texts[wire.FieldReasoning] == "true",
		},
	}, f.texts[wire.FieldSkipStream] != "true", nil
}

// check reports all fields that are wrong in one error.
func (f *form) check() error {
	var wrong, reasons []string
	refuse := func(name, reason string) {
		wrong, reasons = append(wrong, name), append(reasons, name+reason)
	}
	for _, name := range textFields {
		value, given := f.texts[name]
		switch name {
		case wire.FieldMessage, wire.FieldProjectID:
			if !given {
				refuse(name, " is missing")
			} else if value == "" {
				refuse(name, " is empty")
			}
		case wire.FieldUseKnowledgebase, wire.FieldIsTest, wire.FieldGoogleSearch, wire.FieldIgnoreChatHistory, wire.FieldSkipStream,
			wire.FieldToolCalls, wire.FieldReasoning:
			if given && value != "true" && value != "false" {
				refuse(name, " must be true or false")
			}
		default:
			if given && value == "" {
				refuse(name, " is empty; leave it out instead")
			}
		}
	}
	if wrong != nil {
		return invalid(strings.Join(reasons, "; "), wrong...)
	}
	return nil
}

// metadata returns the JSON object of the request_metadata field.
func (f *form) metadata() (wire.JSON, error) {
	text, given := f.texts[wire.FieldMetadata]
	if !given || text == "null" {
		return nil, nil
	}
	if _, err := parseObject([]byte(text)); err != nil {
		return nil, invalid(wire.FieldMetadata+" must be a JSON object", wire.FieldMetadata)
	}
	return wire.JSON(text), nil
}

// checkExample refuses an example that is not a JSON object or array.
func (f *form) checkExample() error {
	text, given := f.texts[wire.FieldExampleJSON]
	begin := strings.TrimLeft(text, " \t\n")
	switch {
	case !given:
		return nil
	case !json.Valid([]byte(text)) || begin[0] != '{' && begin[0] != '[':
		return invalid(wire.FieldExampleJSON+" must be the text of a JSON object or array", wire.FieldExampleJSON)
	}
	if err := checkText([]byte(text)); err != nil {
		return invalidField(wire.FieldExampleJSON, err.Error())
	}
	return nil
}

// addImage reads an image of a form. It refuses a file that doesn't begin like an image before
// the rest has arrived; the rest is checked later.
func (f *form) addImage(part *multipart.Part, body *body, limits Limits) error {
	name := part.FormName()
	switch {
	case part.FileName() == "":
		return invalid(name+" must be files, each a part with a filename", name)
	case limits.Images > 0 && len(f.images) == limits.Images:
		return &fault.Error{Code: wire.CodePayloadTooLarge, Message: fmt.Sprintf("images: there are too many, want at most %d", limits.Images),
			Fields: []string{name}}
	}
	from, sum := bufio.NewReader(part), sha256.New()
	head, err := from.Peek(images.Head)
	if err == nil || err == io.EOF {
		err = images.CheckHead(head, len(f.images)+1)
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

// readImage reads a file that counts against its own limit, 0 for none, and not against the limit
// of the form.
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

// digestOfFile returns the digest of a file whose checksum is content.
func digestOfFile(part *multipart.Part, content hash.Hash) digest {
	return digestOf("file", part.FormName(), part.FileName(), part.Header.Get("Content-Type"), string(content.Sum(nil)))
}
