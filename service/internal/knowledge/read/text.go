package read

import (
	"bytes"
	"encoding/json"
)

// readCode reads source code, and data such as YAML and XML, as it is: each part between empty lines is a block.
func readCode(b *builder, data []byte) error {
	text, err := b.decoded(data)
	if err != nil {
		return err
	}
	b.parts(Code, text)
	return nil
}

// readJSON reads JSON with a member a line, however it was written. What is not JSON as a whole, for example a list of
// one value a line, is read as it is.
func readJSON(b *builder, data []byte) error {
	text, err := b.decoded(data)
	if err != nil {
		return err
	}
	var spread bytes.Buffer
	if err := json.Indent(&spread, []byte(text), "", " "); err != nil || spread.Len() > MaxText {
		b.parts(Code, text)
		return nil
	}
	b.parts(Code, spread.String())
	return nil
}
