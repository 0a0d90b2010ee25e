package memory

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// details are the fields of a memory that a Store keeps as one JSON object, because nothing
// searches by them.
type details struct {
	Origin          string   `json:"origin,omitempty"` // empty means the user
	WaitsFor        string   `json:"waits_for,omitempty"`
	CloseTo         []string `json:"close_to,omitempty"`
	DecidedBy       string   `json:"decided_by,omitempty"`
	OriginalContent string   `json:"original_content,omitempty"`
	EditedBy        string   `json:"edited_by,omitempty"`
	EditedAt        float64  `json:"edited_at,omitempty"`
	SupersededBy    string   `json:"superseded_by,omitempty"`

	Edits []wire.MemoryEdit `json:"edits,omitempty"`
}

// Details returns what a Store keeps of a memory in one column, nil for nothing.
func Details(m wire.Memory) any {
	kept := details{m.Origin, m.WaitsFor, m.CloseTo, m.DecidedBy, m.OriginalContent, m.EditedBy, m.EditedAt, m.SupersededBy, m.Edits}
	if kept.Origin == wire.OriginUser {
		kept.Origin = ""
	}
	text, err := json.Marshal(kept)
	if err != nil || string(text) == "{}" { // strings, numbers and lists of strings can always be encoded
		return nil
	}
	return string(text)
}

// SetDetails sets the fields from what Details returned; empty means nothing.
func SetDetails(m *wire.Memory, text string) error {
	var kept details
	if text != "" {
		if err := json.Unmarshal([]byte(text), &kept); err != nil {
			return err
		}
	}
	m.Origin, m.WaitsFor, m.CloseTo, m.DecidedBy = kept.Origin, kept.WaitsFor, kept.CloseTo, kept.DecidedBy
	m.Edits = kept.Edits
	m.OriginalContent, m.EditedBy, m.EditedAt, m.SupersededBy = kept.OriginalContent, kept.EditedBy, kept.EditedAt, kept.SupersededBy
	if m.Origin == "" {
		m.Origin = wire.OriginUser
	}
	return nil
}
