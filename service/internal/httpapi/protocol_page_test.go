package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// docs/protocol.md names each operation of openapi.yaml, and no other. It says who needs no
// credentials.
func TestTheProtocolHasEveryOperation(t *testing.T) {
	t.Parallel()
	doc := description(t)
	var want, got []string
	for _, one := range operations(doc) {
		security, given := one.node["security"].([]any)
		want = append(want, fmt.Sprintf("%s %s %s %t", one.method, one.path, one.id, given && len(security) == 0))
	}
	for _, row := range table(t, "Operations", "Method") {
		require.Len(t, row, 5, "%q", row)
		got = append(got, fmt.Sprintf("%s %s %s %t", row[0], strings.Trim(row[1], "`"), row[2], row[3] == "anyone"))
	}
	require.ElementsMatch(t, want, got)
}

// If docs/protocol.md says what an operation takes or answers, it names all fields of openapi.yaml,
// and which of them may be absent. If it links to another table, the tests below check that table.
func TestTheProtocolHasEveryFieldOfOperations(t *testing.T) {
	t.Parallel()
	doc, rows := description(t), map[string][]string{}
	for _, row := range table(t, "Parameters and results", "Operation") {
		require.Len(t, row, 3, "%q", row)
		require.NotContains(t, rows, row[0], "a second row")
		rows[row[0]] = row
	}
	for _, one := range operations(doc) {
		require.Contains(t, rows, one.id)
		row := rows[one.id]
		delete(rows, one.id)
		if takes := spans(row[1]); takes != nil || row[1] == "–" {
			require.ElementsMatch(t, takenFields(doc, one), takes, "%s takes", one.id)
		}
		if answers := spans(row[2]); answers != nil {
			require.ElementsMatch(t, answeredFields(doc, one), answers, "%s answers", one.id)
		}
	}
	require.Empty(t, rows, "operations that don't exist")
	filters := takenFields(doc, named(t, doc, "listMemories"))
	require.ElementsMatch(t, filters, slices.DeleteFunc(spans(section(t, "Reading memories")...), func(name string) bool {
		return !strings.HasSuffix(name, "?")
	}))
}

func named(t *testing.T, doc node, id string) described {
	t.Helper()
	all := operations(doc)
	place := slices.IndexFunc(all, func(one described) bool { return one.id == id })
	require.GreaterOrEqual(t, place, 0, id)
	return all[place]
}

// takenFields are the fields of the query and the body of an operation.
func takenFields(doc node, one described) (names []string) {
	parameters, _ := one.node["parameters"].([]any)
	for _, parameter := range parameters {
		if resolved := at(doc, parameter); resolved["in"] == "query" {
			names = append(names, marked(resolved["name"].(string), resolved["required"] == true))
		}
	}
	content, _ := in(one.node, "requestBody", "content").(node)
	for _, body := range content {
		names = append(names, fields(doc, in(body, "schema"))...)
	}
	return names
}

// answeredFields are the fields of the JSON answer with status 200; of several forms, those of the last.
func answeredFields(doc node, one described) []string {
	schema := in(at(doc, in(one.node, "responses", "200")), "content", "application/json", "schema")
	if forms, _ := in(schema, "oneOf").([]any); len(forms) > 0 {
		schema = forms[len(forms)-1]
	}
	return fields(doc, schema)
}

// The tables of objects in docs/protocol.md have the fields of these schemas, and no other.
func TestTheProtocolHasEveryFieldOfObjects(t *testing.T) {
	t.Parallel()
	doc := description(t)
	for _, test := range []struct {
		heading, column string
		schemas         []string
	}{
		{"Chats", "Field", []string{"ChatHistory"}},
		{"Messages", "Field", []string{"Question", "Answer"}},
		{"The form of a send", "Field", []string{"SendForm"}},
		{"Calls", "Field", []string{"ToolCall"}},
		{"Memory", "Field", []string{"Memory"}},
		{"Memory settings", "Setting", []string{"MemorySettings"}},
	} {
		t.Run(test.heading, func(t *testing.T) {
			t.Parallel()
			var want []string
			for _, name := range test.schemas {
				want = append(want, fields(doc, schemaOf(doc, name))...)
			}
			require.ElementsMatch(t, bare(want...), firstCells(table(t, test.heading, test.column)))
		})
	}
	for _, row := range table(t, "Parameters and results", "Object") {
		name, _, _ := strings.Cut(row[0], ",")
		require.ElementsMatch(t, fields(doc, schemaOf(doc, name)), spans(row[1]), name)
	}
}

func schemaOf(doc node, name string) any { return in(doc, "components", "schemas", name) }

func TestTheProtocolHasEveryStatusOfCalls(t *testing.T) {
	t.Parallel()
	var want []string
	for _, status := range in(schemaOf(description(t), "CallStatus"), "enum").([]any) {
		want = append(want, status.(string))
	}
	require.ElementsMatch(t, want, firstCells(table(t, "Calls", "Status")))
}

// docs/protocol.md has the events of each stream in openapi.yaml with the fields of their data.
// The fields of a call and of an error have their own tables.
func TestTheProtocolHasEveryEvent(t *testing.T) {
	t.Parallel()
	doc, streams := description(t), 0
	rows := map[string][]string{}
	for _, row := range table(t, "Events", "Event") {
		rows[strings.Trim(row[0], "`")] = spans(row[1])
	}
	elsewhere := []string{wire.EventToolCall, wire.EventError}
	for _, one := range operations(doc) {
		events, streamed := in(one.node, "responses", "200", "content", "text/event-stream", "x-events").(node)
		if !streamed {
			continue
		}
		streams++
		require.ElementsMatch(t, slices.Collect(maps.Keys(events)), slices.Collect(maps.Keys(rows)), one.id)
		for name, schema := range events {
			want := fields(doc, schema)
			if name == wire.EventEnd {
				want = []string{"{}"}
			}
			if slices.Contains(elsewhere, name) {
				want = nil
			}
			require.ElementsMatch(t, want, rows[name], name)
		}
	}
	require.Equal(t, 3, streams, "operations that stream")
	var statuses []string
	for _, status := range in(schemaOf(doc, "EventError"), "properties", "status_code", "enum").([]any) {
		statuses = append(statuses, fmt.Sprint(status))
	}
	sentence := regexp.MustCompile(`An .error. event has one of the statuses (.*)\.`).FindStringSubmatch(strings.Join(section(t, "Events"), "\n"))
	require.NotNil(t, sentence)
	require.Equal(t, statuses, regexp.MustCompile(`\d+`).FindAllString(sentence[1], -1))
}

// docs/protocol.md has each code of openapi.yaml with its status, which is the one that the service
// gives it. The SDK's own codes come without a status.
func TestTheProtocolHasEveryCode(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	codes(description(t), found)
	var got []string
	for _, row := range table(t, "Errors", "Code") {
		got = append(got, strings.Trim(row[0], "`")+" "+row[1])
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(found)), got)
	for pair := range found {
		code, status, _ := strings.Cut(pair, " ")
		require.Equal(t, status, fmt.Sprint(httpapi.BodyOf(&fault.Error{Code: code}, nil).StatusCode), code)
	}
	names := bare(spans(section(t, "Errors")...)...)
	require.Subset(t, names, []string{wire.CodeNetwork, wire.CodeTimeout, wire.CodeStreamCut})
}

// codes adds the error codes in a value that have a status next to them.
func codes(value any, found map[string]bool) {
	if items, isList := value.([]any); isList {
		for _, item := range items {
			codes(item, found)
		}
		return
	}
	mapping, _ := value.(node)
	code := in(mapping, "error", "properties", "code")
	names, _ := in(code, "enum").([]any)
	if one := in(code, "const"); one != nil {
		names = []any{one}
	}
	if status := in(mapping, "status_code", "const"); status != nil {
		for _, name := range names {
			found[fmt.Sprint(name, " ", status)] = true
		}
	}
	for _, inside := range mapping {
		codes(inside, found)
	}
}

// The example of an error in docs/protocol.md has the fields of one.
func TestTheProtocolHasEveryFieldOfErrors(t *testing.T) {
	t.Parallel()
	doc := description(t)
	_, example, _ := strings.Cut(strings.Join(section(t, "Errors"), "\n"), "```json\n")
	example, _, _ = strings.Cut(example, "```")
	var body node
	require.NoError(t, json.Unmarshal([]byte(example), &body))
	require.ElementsMatch(t, bare(fields(doc, schemaOf(doc, "Error"))...), slices.Collect(maps.Keys(body)))
	inner := in(schemaOf(doc, "Error"), "properties", "error")
	require.ElementsMatch(t, bare(fields(doc, inner)...), append(slices.Collect(maps.Keys(body["error"].(node))), "reason"), "reason comes with others")
	page, err := os.ReadFile("../../../docs/errors.md")
	require.NoError(t, err)
	for _, reason := range in(schemaOf(doc, "ProviderReason"), "enum").([]any) {
		require.Contains(t, strings.Join(section(t, "Errors"), "\n"), fmt.Sprintf("`%s`", reason))
		require.Contains(t, string(page), fmt.Sprintf("\n| `%s` | ", reason), "and errors.md says what helps")
	}
}

func TestTheProtocolNamesWhatTakesAKey(t *testing.T) {
	t.Parallel()
	doc, want := description(t), []string(nil)
	for _, one := range operations(doc) {
		parameters, _ := one.node["parameters"].([]any)
		for _, parameter := range parameters {
			if in(parameter, "$ref") == "#/components/parameters/IdempotencyKey" {
				want = append(want, one.id)
			}
		}
	}
	list := strings.Join(section(t, "Idempotency"), "\n")
	_, list, _ = strings.Cut(list, "take a key:")
	list, _, _ = strings.Cut(list, ".")
	require.ElementsMatch(t, want, regexp.MustCompile(`\w+`).FindAllString(list, -1))
}

// docs/protocol.md has each upper bound of openapi.yaml.
func TestTheProtocolHasEveryBound(t *testing.T) {
	t.Parallel()
	doc := description(t)
	want := map[string]bool{}
	for _, one := range operations(doc) {
		bounds(one.id, one.node, want)
	}
	for name, schema := range in(doc, "components", "schemas").(node) {
		bounds(snake(name), schema, want)
	}
	bounds("", in(doc, "components", "parameters"), want)
	got := map[string]bool{}
	for _, row := range table(t, "Limits", "Field") {
		names := spans(row[0])
		if strings.HasSuffix(row[0], "listUserMemories") {
			names = append(names, "listUserMemories")
		}
		for _, name := range names {
			got[name+" "+row[1]] = true
		}
	}
	require.ElementsMatch(t, slices.Collect(maps.Keys(want)), slices.Collect(maps.Keys(got)))
}

// bounds adds the upper bounds of a value and of the values in it, each with the name of its field.
func bounds(name string, value any, found map[string]bool) {
	if items, isList := value.([]any); isList {
		for _, item := range items {
			bounds(name, item, found)
		}
		return
	}
	mapping, _ := value.(node)
	if given, isParameter := mapping["name"].(string); isParameter {
		name = given
	}
	for key, inside := range mapping {
		switch key {
		case "maximum", "maxLength", "maxItems", "maxProperties":
			found[name+" "+fmt.Sprint(inside)] = true
		case "properties":
			for property, schema := range inside.(node) {
				bounds(property, schema, found)
			}
		default:
			bounds(name, inside, found)
		}
	}
}

// snake returns the name of a schema as a field would have it.
func snake(name string) string {
	return strings.ToLower(regexp.MustCompile(`([a-z])([A-Z])`).ReplaceAllString(name, "${1}_$2"))
}

var limitSettings = regexp.MustCompile(`\{"([A-Z_]+)", "[a-z-]+", "` + "`LIMIT`" + `[^"]*0 for none \((\d+)\)"`)

// docs/protocol.md has each limit that an operator can set, with its default.
func TestTheProtocolHasEveryLimit(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../config/settings.go")
	require.NoError(t, err)
	var want, got []string
	for _, match := range limitSettings.FindAllStringSubmatch(string(source), -1) {
		want = append(want, match[1]+" "+match[2])
	}
	require.Equal(t, strings.Count(string(source), "0 for none"), len(want), "settings that are limits")
	for _, row := range table(t, "Limits", "Setting") {
		_, err := strconv.Atoi(row[1])
		require.NoError(t, err, "%q", row)
		got = append(got, strings.Trim(row[0], "`")+" "+row[1])
	}
	require.ElementsMatch(t, want, got)
}
