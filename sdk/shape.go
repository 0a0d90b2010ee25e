package sdk

import (
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// The shapes of the answers. A shape is an example in JSON: an answer fits if each member that both have is of the
// same kind, at any depth. A name that begins with ! must be there, * stands for every name, {} fits any object, and
// a list has one item that stands for all. Null counts as absent, and members that a shape does not name are not
// looked at: a service may be older or newer. Tests compare the shapes with the structs of package wire.
// js/src/shape.ts reads the same texts where a response passes.
const (
	pageShape   = `"next_cursor":"","has_more":true`
	spanShape   = `{"start":0,"end":0}`
	sourceShape = `{"document_key":"","title":"","snippet":"","score":0,"passage_id":"","start":0,"end":0,"url":""}`
	callShape   = `{"!id":"","agent_id":"","chat_id":"","message_id":"","stream_id":"","at":0,"name":"","kind":"","tool":"","approval":"",` +
		`"description":"","arguments":"","model_arguments":"","status":"","requested_at":0,"expires_at":0,"decided_at":0,"decided_by":"","reason":"","edited":true,` +
		`"finished_at":0,"result":"","result_size":0,"truncated":true,"error":"","hidden":true}`
	chatShape    = `{"!chat_id":"","name":"","document_keys":[""],"metadata":{},"user_id":"","created_at":0,"updated_at":0}`
	imagesShape  = `"image_urls":[""]`
	messageShape = `{"id":"","chat_id":"","role":"","!content":"","created_at":0,"sources":[` + sourceShape + `],` + imagesShape + `,"feedback":true,` +
		`"metadata":{},"model_name":"","agent_id":"","finish_reason":"","memory_ids":[""],"is_test":true,"stream_id":"","parent_id":"",` +
		`"siblings":[""],"tool_calls":[` + callShape + `],"usage":{"input_tokens":0,"cached_tokens":0,"output_tokens":0,"reasoning_tokens":0},` +
		`"left_out":{"messages":0,"images":0,"tools":0},"reasoning":""}`
	historyShape  = `{"id":"","chat_id":"","name":"","created_at":0,"document_keys":[""],"metadata":{},"!messages":[` + messageShape + `],"has_more":true}`
	sendShape     = `{"!message":` + messageShape + `,"chat_id":"","message_id":"","chat_name":"","stream_id":""}`
	stopShape     = `{"stopped":true,"!message":` + messageShape + `,"last_event_id":0,"bytes":0,"crc32":""}`
	startShape    = `{"stream_id":"","chat_id":"","message_id":"","user_message_id":""}`
	uploadShape   = `{"message":"","!document_key":"","status":"","size":0}`
	settingsShape = `{"!memory_enabled":true,"max_memories":0,"auto_approve":true,"memory_types":[""]}`
	memoryShape   = `{"!id":"","agent_id":"","user_id":"","memory_content":"","memory_type":"","confidence_score":0,"status":"","created_at":0,` +
		`"updated_at":0,"approved_at":0,"rejected_at":0,"reject_reason":"","decided_by":"","original_content":"","edited_by":"","edited_at":0,` +
		`"edits":[{"text":"","by":"","at":0}],"origin":"","waits_for":"","close_to":[""],"superseded_by":"","expires_at":0,"source_chat_id":"",` +
		`"source_message_id":"","triggering_message":"","span":` + spanShape + `,"conflicts_with":[""],"conflicts_with_pending":[""]}`
	memoriesShape = `{"!memories_by_user":{"*":[` + memoryShape + `]},"total_users":0,"total_memories":0,` + pageShape + `}`
	decidedShape  = `{"success":true,"message":"","!memory":` + memoryShape + `,"superseded":[""]}`
	statsShape    = `{"!total":0,"approved":0,"pending":0,"rejected":0,"superseded":0,"users":0,"room":{"used_bytes":0,"room_bytes":0,"left_out":0},` +
		`"detection":{"detector":"","waiting":0,"failure":{"since":0,"failures":0,"given_up":0,"code":"","status":0}}}`
	documentsShape = `{"!docs":[{"!content_key":"","title":"","name":"","doc_type":"","encoding":"","status":"","error":"","user_id":"","upload_date":0,"size":0,` +
		`"metadata":{}}],"total":0,` + pageShape + `}`
	documentShape = `{"!document_key":"","title":"","text":"","start":0,"end":0,"length":0,` +
		`"passages":[{"!id":"","heading_path":[""],"start":0,"end":0}]}`
)

// eventShape is the shape of an event's data. A message object is any object. An error is read as it is: whatever it says, the answer has failed.
func eventShape(kind string) string {
	switch kind {
	case wire.EventStart:
		return startShape
	case wire.EventChunk, wire.EventReasoning, wire.EventDocumentChunk:
		return `{"!text":""}`
	case wire.EventChatName:
		return `{"!name":""}`
	case wire.EventToolCall:
		return callShape
	case wire.EventComplete:
		return `{"!message":` + messageShape + `,"chunks":0,"bytes":0,"crc32":""}`
	}
	return `{}`
}

// shape is a shape whose text has been read.
type shape struct {
	kind    jsontext.Kind
	members map[string]*shape
	every   *shape // each item of a list, or each member of an object
	needs   []string
}

func shapeOf(example jsontext.Value) *shape {
	s := &shape{kind: example.Kind(), members: map[string]*shape{}}
	example.Elements(func(item jsontext.Value) { s.every = shapeOf(item) })
	example.Members(func(name string, member jsontext.Value) {
		if name == "*" {
			s.every = shapeOf(member)
			return
		}
		name, needed := strings.CutPrefix(name, "!")
		if s.members[name] = shapeOf(member); needed {
			s.needs = append(s.needs, name)
		}
	})
	return s
}

// misfit says what of a value does not fit a shape, and "" if all fits.
func misfit(value jsontext.Value, text string) string {
	return shapeOf(jsontext.Value(text)).misfit("", value)
}

func (s *shape) misfit(path string, value jsontext.Value) (problem string) {
	name := path
	if path == "" {
		name = "it"
	}
	if value.Kind() != s.kind {
		return name + " is " + value.Kind().String() + ", want " + s.kind.String()
	}
	check := func(path string, s *shape, value jsontext.Value) {
		if problem == "" && s != nil {
			problem = s.misfit(path, value)
		}
	}
	value.Elements(func(item jsontext.Value) { check(path+"[]", s.every, item) })
	needs := len(s.needs)
	value.Members(func(member string, value jsontext.Value) {
		if s.every != nil {
			check(path+".*", s.every, value)
		} else if value.Exists() {
			if slices.Contains(s.needs, member) {
				needs--
			}
			check(strings.TrimPrefix(path+"."+member, "."), s.members[member], value)
		}
	})
	if problem == "" && needs > 0 {
		for _, member := range s.needs {
			if !value.Get(member).Exists() {
				return name + " has no " + member
			}
		}
	}
	return problem
}
