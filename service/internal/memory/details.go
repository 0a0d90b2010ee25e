package memory

import (
	"encoding/json"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// details are the fields of a memory that a Store keeps as one JSON object: nothing is
// looked up by them.
type details struct {
	Origin          string   `json:"origin,omitempty"` // empty: the user
	WaitsFor        string   `json:"waits_for,omitempty"`
	CloseTo         []string `json:"close_to,omitempty"`
	DecidedBy       string   `json:"decided_by,omitempty"`
	OriginalContent string   `json:"original_content,omitempty"`
	EditedBy        string   `json:"edited_by,omitempty"`
	EditedAt        float64  `json:"edited_at,omitempty"`
	SupersededBy    string   `json:"superseded_by,omitempty"`
}

// Details is what a Store keeps of a memory beside its columns, nil for nothing.
func Details(m wire.Memory) any {
	kept := details{m.Origin, m.WaitsFor, m.CloseTo, m.DecidedBy, m.OriginalContent, m.EditedBy, m.EditedAt, m.SupersededBy}
	if kept.Origin == wire.OriginUser {
		kept.Origin = ""
	}
	text, err := json.Marshal(kept)
	if err != nil || string(text) == "{}" { // texts, numbers and lists of texts have no errors
		return nil
	}
	return string(text)
}

// SetDetails fills in what Details gave; empty means nothing.
func SetDetails(m *wire.Memory, text string) error {
	var kept details
	if text != "" {
		if err := json.Unmarshal([]byte(text), &kept); err != nil {
			return err
		}
	}
	m.Origin, m.WaitsFor, m.CloseTo, m.DecidedBy = kept.Origin, kept.WaitsFor, kept.CloseTo, kept.DecidedBy
	m.OriginalContent, m.EditedBy, m.EditedAt, m.SupersededBy = kept.OriginalContent, kept.EditedBy, kept.EditedAt, kept.SupersededBy
	if m.Origin == "" {
		m.Origin = wire.OriginUser
	}
	return nil
}
