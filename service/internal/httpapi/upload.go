package httpapi

import (
	"crypto/sha256"
	"io"
	"mime/multipart"
	"slices"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/knowledge"
)

// uploadFields are the fields of an upload that hold text.
var uploadFields = []string{wire.FieldProjectID, wire.FieldDocumentMetadata}

// uploadForm is the form of an upload as it arrived.
type uploadForm struct {
	texts map[string]string
	name  string // the file's name, as the client sent it
	file  []byte
	found bool
	parts []digest
}

// readUpload reads the form of an upload into memory: a file on the disk would have to be removed
// after a crash.
func (c *exchange) readUpload() (uploadForm, error) {
	form := uploadForm{texts: map[string]string{}}
	limits := c.api.config.Limits
	err := c.eachPart(limits.uploadBytes(), func(part *multipart.Part, body *body) error {
		return form.add(part, body, limits.DocumentBytes)
	})
	if err != nil {
		return form, err
	}
	return form, form.check()
}

// uploadBytes is the largest size of an upload, its file included.
func (l Limits) uploadBytes() int64 {
	if l.JSONBytes == 0 || l.DocumentBytes == 0 {
		return 0
	}
	return l.DocumentBytes + l.JSONBytes + formFrame
}

// add reads a part. Unknown fields are ignored, but they count when two forms are compared.
func (f *uploadForm) add(part *multipart.Part, body *body, limit int64) error {
	name := part.FormName()
	if _, twice := f.texts[name]; twice || name == wire.FieldFile && f.found {
		return invalid(name+" occurs twice in the form", name)
	}
	if name == wire.FieldFile {
		return f.addFile(part, body, limit)
	}
	known := slices.Contains(uploadFields, name)
	if known && part.FileName() != "" {
		return invalid(name+" must be text, not a file", name)
	}
	content, err := body.keep(part)
	if err != nil {
		return namedError(bodyError(err), name)
	}
	f.parts = append(f.parts, digestOf("field", name, part.FileName(), string(content)))
	if !known {
		body.call.letGo(int64(len(content)))
		return nil
	}
	texts := form{texts: f.texts}
	return texts.setText(name, string(content))
}

func (f *uploadForm) addFile(part *multipart.Part, body *body, limit int64) error {
	if part.FileName() == "" {
		return invalid("file must be a file with a name, not text", wire.FieldFile)
	}
	sum := sha256.New()
	from := io.TeeReader(part, sum)
	if limit > 0 {
		from = io.LimitReader(from, limit+1)
	}
	content, err := body.keep(from)
	switch {
	case err != nil:
		return namedError(bodyError(err), wire.FieldFile)
	case limit > 0 && int64(len(content)) > limit:
		return knowledge.TooLarge(limit)
	}
	f.name, f.file, f.found = part.FileName(), content, true
	f.parts = append(f.parts, digestOfFile(part, sum))
	return nil
}

func (f *uploadForm) check() error {
	switch {
	case !f.found:
		return invalid("file is missing", wire.FieldFile)
	case f.texts[wire.FieldProjectID] == "":
		return invalid("project_id is missing", wire.FieldProjectID)
	}
	return nil
}

// metadata returns the JSON object of the metadata field.
func (f *uploadForm) metadata() (wire.JSON, error) {
	text, given := f.texts[wire.FieldDocumentMetadata]
	if !given || text == "null" {
		return nil, nil
	}
	if _, err := parseObject([]byte(text)); err != nil {
		return nil, invalid("metadata must be a JSON object", wire.FieldDocumentMetadata)
	}
	return wire.JSON(text), nil
}
