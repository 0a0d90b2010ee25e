package httpapi

import "github.com/chatsdk/chatsdk/sdk/wire"

// documentKeys returns the JSON array of the document_keys field of a send: nil if the field is
// absent, and empty if the array is empty.
func (f *form) documentKeys() ([]string, error) {
	text, given := f.texts[wire.FieldDocumentKeys]
	if !given || text == "null" {
		return nil, nil
	}
	keys, ok := texts([]byte(text))
	if !ok || checkText([]byte(text)) != nil {
		return nil, invalid(wire.FieldDocumentKeys+" must be a JSON list of strings", wire.FieldDocumentKeys)
	}
	return keys, nil
}

// boolean returns the value of a field that check has accepted; nil if it is absent.
func (f *form) boolean(name string) *bool {
	text, given := f.texts[name]
	if !given {
		return nil
	}
	is := text == "true"
	return &is
}
