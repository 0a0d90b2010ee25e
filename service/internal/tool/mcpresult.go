package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/chatsdk/chatsdk/sdk/sse"
	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// told returns the outcome of a result.
func told(result *mcp.CallToolResult) Outcome {
	if result.NeedsInput() {
		return Outcome{Status: wire.CallFailed, Error: "the tool asks for input besides its arguments, which this service does not support"}
	}
	text, files := contents(result)
	if result.IsError {
		if text == "" {
			text = "the tool failed and does not say why"
		}
		return Outcome{Status: wire.CallFailed, Error: text}
	}
	return Outcome{Status: wire.CallDone, Result: text, Images: files}
}

// contents joins the texts of a result, and returns its images. It names content that is not text, so that nobody overlooks
// that it is missing. Structured content is added unless the texts say the same.
func contents(result *mcp.CallToolResult) (text string, files []images.File) {
	var parts []string
	for _, one := range result.Content {
		if file := imageOf(one); file != nil && len(files) < images.MaxOfAnswer && !result.IsError {
			files = append(files, *file)
			parts = append(parts, fmt.Sprintf("[image %d: %v]", len(files), file))
			continue
		}
		parts = append(parts, textOf(one))
	}
	if result.StructuredContent != nil && !saysAll(parts, result.StructuredContent) {
		if structured, err := plainJSON(result.StructuredContent); err == nil {
			parts = append(parts, string(structured))
		}
	}
	return strings.Join(parts, "\n"), files
}

// imageOf returns the image of a block, nil if it has none that can be kept.
func imageOf(block mcp.Content) *images.File {
	var content []byte
	switch block := block.(type) {
	case *mcp.ImageContent:
		content = block.Data
	case *mcp.EmbeddedResource:
		if block.Resource != nil {
			content = block.Resource.Blob
		}
	}
	files, err := images.Read([][]byte{content})
	if err != nil {
		return nil
	}
	return &files[0]
}

// textOf returns a block as a model gets it.
func textOf(block mcp.Content) string {
	switch block := block.(type) {
	case *mcp.TextContent:
		return block.Text
	case *mcp.ImageContent:
		return named("an image", "which cannot be shown", block.MIMEType)
	case *mcp.AudioContent:
		return named("a sound", "which cannot be played", block.MIMEType)
	case *mcp.ResourceLink:
		return linked(block)
	case *mcp.EmbeddedResource:
		if block.Resource != nil {
			return resource(block.Resource)
		}
	}
	return unknownBlock
}

const unknownBlock = "[a block of an unknown type, which cannot be shown]"

// named names what a model does not get, with its details that are known.
func named(what, fate string, details ...string) string {
	details = slices.DeleteFunc(details, func(one string) bool { return one == "" })
	if len(details) > 0 {
		what += " (" + strings.Join(details, ", ") + ")"
	}
	return "[" + what + ", " + fate + "]"
}

// linked returns all that a link says for a model.
func linked(link *mcp.ResourceLink) string {
	size := ""
	if link.Size != nil {
		size = fmt.Sprintf("%d bytes", *link.Size)
	}
	name := link.Name
	if link.Title != "" && link.Title != name {
		name = strings.TrimSpace(name + " " + fmt.Sprintf("%q", link.Title))
	}
	text := strings.TrimSuffix(named("a link to a resource", link.URI, name, link.MIMEType, size), "]")
	if link.Description != "" {
		text += ": " + link.Description
	}
	return text + "]"
}

// resource returns the text of a resource with its address before it.
func resource(one *mcp.ResourceContents) string {
	text := one.Text
	if text == "" && !strings.HasPrefix(one.MIMEType, "image/") && utf8.Valid(one.Blob) {
		text = string(one.Blob)
	}
	if text == "" {
		return named("a resource", "which cannot be shown", one.URI, one.MIMEType, fmt.Sprintf("%d bytes", len(one.Blob)))
	}
	return strings.TrimPrefix("["+one.URI+"]\n", "[]\n") + text
}

// saysAll reports whether texts say what structured content says: one of them is the same JSON, or they are its only
// member, which is how some servers wrap what is no object.
func saysAll(texts []string, structured any) bool {
	if says(texts, structured) {
		return true
	}
	object, _ := structured.(map[string]any)
	if len(object) != 1 {
		return false
	}
	for _, only := range object {
		list, isList := only.([]any)
		if says(texts, only) || isList && len(list) > 0 && !slices.ContainsFunc(list, func(one any) bool { return !says(texts, one) }) {
			return true
		}
	}
	return false
}

// says reports whether one of the texts is a value, as JSON or as it is, or all together are.
func says(texts []string, value any) bool {
	if text, isText := value.(string); isText && (slices.Contains(texts, text) || strings.Join(texts, "\n") == text) {
		return true
	}
	return slices.ContainsFunc(texts, func(text string) bool {
		var said any
		return json.Unmarshal([]byte(text), &said) == nil && reflect.DeepEqual(said, value)
	})
}

// result reads the result of an answer that the library could not read: it refuses a whole result for one block. If there
// is none, it returns nil.
func (a *attempt) result() *mcp.CallToolResult {
	if a.isOver() != "" {
		return nil
	}
	for _, message := range messagesOf(a.said()) {
		var response struct{ Result map[string]json.RawMessage }
		if json.Unmarshal(message, &response) != nil || response.Result["content"] == nil {
			continue
		}
		response.Result["content"] = readableBlocks(response.Result["content"])
		var result mcp.CallToolResult
		if text, err := json.Marshal(response.Result); err == nil && json.Unmarshal(text, &result) == nil {
			return &result
		}
	}
	return nil
}

// messagesOf returns the JSON-RPC messages of an answer, which is one message or a stream of events.
func messagesOf(answer []byte) (all [][]byte) {
	if json.Valid(answer) {
		return [][]byte{answer}
	}
	decoder := sse.Decoder{MaxBytes: resultBytes}
	_ = decoder.Feed(answer, func(one sse.Event) { all = append(all, bytes.Clone(one.Data)) })
	return all
}

// readableBlocks returns blocks with a text in place of each that the library cannot read.
func readableBlocks(content json.RawMessage) json.RawMessage {
	var blocks []json.RawMessage
	if json.Unmarshal(content, &blocks) != nil {
		blocks = []json.RawMessage{content}
	}
	for i, block := range blocks {
		var alone mcp.CallToolResult
		if json.Unmarshal(fmt.Appendf(nil, `{"content":[%s]}`, block), &alone) == nil {
			continue
		}
		var kind struct{ Type string }
		text := unknownBlock
		if json.Unmarshal(block, &kind) == nil && kind.Type != "" {
			text = named("a block", "which cannot be shown", fmt.Sprintf("type %q", fault.Shorten(kind.Type, 64)))
		}
		blocks[i], _ = json.Marshal(map[string]string{"type": "text", "text": text})
	}
	all, _ := json.Marshal(blocks)
	return all
}
