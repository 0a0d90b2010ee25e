package sdk

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Kind is the type of an argument in JavaScript.
func (m *Call) Kind(argument string) jsontext.Kind {
	switch argument {
	case "cursor":
		if m.path == listChats.path { // not m itself: other code copies the row
			return jsontext.Number
		}
	case "limit", "start", "end", "page", "itemsPerPage", "maxMemories":
		return jsontext.Number
	case "feedback", "memoryEnabled", "autoApprove":
		return jsontext.Bool
	case "memoryTypes", "memoryIds":
		return jsontext.Array
	}
	return jsontext.String
}

// MayBeEmpty reports whether a text argument may be empty.
func MayBeEmpty(argument string) bool {
	return argument == "newName" || argument == "nameSearch" || argument == "reason"
}

// check returns what is wrong with an argument, nil if nothing is.
func (m *Call) check(field, value string, optional bool) error {
	if value == "" && optional || MayBeEmpty(field) {
		return nil
	}
	switch m.Kind(field) {
	case jsontext.String:
		return m.checkText(field, value)
	case jsontext.Number:
		return m.checkNumber(field, value)
	}
	var err error
	count := 0
	jsontext.Value(value).Elements(func(item jsontext.Value) {
		count++
		if item.Kind() != jsontext.String {
			err = wrong(m.Operation, field, "must hold only strings")
		} else if err == nil {
			err = m.checkText(field, item.Text())
		}
	})
	if err == nil && field == "memoryIds" {
		return m.checkCount(field, count, wire.MaxDecisions, " entries")
	}
	return err
}

// checkNumber accepts a whole number within its limits.
func (m *Call) checkNumber(field, value string) error {
	const largest = 1<<53 - 1 // Number.MAX_SAFE_INTEGER
	least, most := int64(1), int64(largest)
	switch {
	case field == "start" || field == "end": // positions in a text
		least = 0
	case field == "maxMemories":
		most = MaxMemories
	case field == "itemsPerPage":
		most = MaxDocuments
	case field == "limit" && m.path == listChats.path:
		most = MaxChats
	}
	if number, err := strconv.ParseInt(value, 10, 64); err == nil && number >= least && number <= most {
		return nil
	}
	want := strconv.FormatInt(least, 10) + " or more"
	if most < largest {
		want = "1 to " + strconv.FormatInt(most, 10)
	} else if field == "cursor" {
		want = "the previous page's next_cursor"
	}
	return wrong(m.Operation, field, "is "+value+", want "+want)
}

var (
	memoryStatuses = []string{wire.MemoryPending, wire.MemoryApproved, wire.MemoryRejected}
	callStatuses   = []string{
		wire.CallAwaiting, wire.CallApproved, wire.CallRunning, wire.CallDone, wire.CallFailed, wire.CallUnknown, wire.CallDenied, wire.CallExpired,
	}
	memoryTypes   = []string{wire.MemoryPreference, wire.MemoryFact, wire.MemoryContext}
	memoryActions = []string{wire.ActionApprove, wire.ActionReject}
)

// checkCount accepts lists with 1 to most entries.
func (m *Call) checkCount(field string, count, most int, of string) error {
	if count < 1 || count > most {
		return wrong(m.Operation, field, "has "+strconv.Itoa(count)+of+", want 1 to "+strconv.Itoa(most))
	}
	return nil
}

// checkText refuses texts that cannot be an id, and unknown values of status and type.
func (m *Call) checkText(field, value string) error {
	known, verb := memoryTypes, "is "
	switch field {
	case "reason": // any text
		return nil
	case "arguments":
		if _, err := parse([]byte(value)); err != nil {
			return wrong(m.Operation, field, "is not a JSON object")
		}
		return nil
	case "status":
		if known = memoryStatuses; m == listToolCalls {
			known = callStatuses
		}
	case "memoryContent":
		return m.checkCount(field, utf8.RuneCountInString(strings.TrimSpace(value)), MaxMemoryContent, " characters")
	case "action":
		known = memoryActions
	case "type", "memoryType":
	case "memoryTypes":
		verb = "holds "
	case "memoryIds":
		if checkID(m.Operation, field, value) != nil {
			return wrong(m.Operation, field, "holds "+quoted(value)+", which cannot be an id")
		}
		return nil
	default:
		return checkID(m.Operation, field, value)
	}
	if slices.Contains(known, value) {
		return nil
	}
	return wrong(m.Operation, field, verb+quoted(value)+", want one of "+strings.Join(known, ", "))
}

// quoted is a text in quotes, for an error. strconv.Quote would bring its tables of characters into the page.
func quoted(text string) string { return string(AppendString(nil, text)) }
