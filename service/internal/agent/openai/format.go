package openai

// The output formats that a provider may support, the strictest first.
const (
	strictSchema = "json_schema"
	anyObject    = "json_object"
	plainText    = "text"
)

var formats = []string{strictSchema, anyObject, plainText}

// formatOf returns the format for a request. For plain text it returns nil, which every provider
// accepts.
func formatOf(format string, types []string) *responseFormat {
	switch format {
	case strictSchema:
		return &responseFormat{Type: format, JSONSchema: &jsonSchema{Name: "memories", Strict: true, Schema: listSchema(types)}}
	case anyObject:
		return &responseFormat{Type: format}
	}
	return nil
}

// listSchema describes what the model should return. Strict mode requires every property, and no
// others.
func listSchema(types []string) map[string]any {
	text := map[string]any{"type": "string"}
	object := func(properties map[string]any, names ...string) map[string]any {
		return map[string]any{"type": "object", "properties": properties, "required": names, "additionalProperties": false}
	}
	one := object(map[string]any{
		"type":       map[string]any{"type": "string", "enum": types},
		"content":    text,
		"confidence": map[string]any{"type": "number"},
		"quote":      text,
	}, "type", "content", "confidence", "quote")
	return object(map[string]any{"memories": map[string]any{"type": "array", "items": one}}, "memories")
}
