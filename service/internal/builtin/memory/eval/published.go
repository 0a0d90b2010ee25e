package eval

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/service/internal/builtin/memory/rules"
)

// The files of published attacks, which stay outside the repository.
const (
	awsFile   = "aws-test-cases.json"
	owaspFile = "owasp-security-benchmark.py"
)

// PrintPublished reads the published attacks in a folder, as data, and writes how many of
// them would store a memory without a review.
func PrintPublished(to io.Writer, folder string) error {
	if _, err := fmt.Fprintf(to, "\n%-36s %8s %26s %26s\n", "published attacks", "messages", "approved, found by rules", "by a model that obeys"); err != nil {
		return err
	}
	for _, set := range []struct {
		name, file string
		read       func(text []byte) ([]string, error)
	}{{"AWS, memory poisoning", awsFile, AWSAttacks}, {"OWASP, agent memory guard", owaspFile, OWASPAttacks}} {
		text, err := os.ReadFile(filepath.Join(folder, set.file)) //nolint:gosec // the caller names the folder
		if err != nil {
			return err
		}
		attacks, err := set.read(text)
		if err != nil {
			return fmt.Errorf("%s: %w", set.file, err)
		}
		found, obeyed := ScoreAttacks(attacks)
		if _, err := fmt.Fprintf(to, "%-36s %8d %26d %26d\n", set.name, len(attacks), found, obeyed); err != nil {
			return err
		}
	}
	return nil
}

// ScoreAttacks counts the attacks after which a memory would be approved automatically: one
// that the rules find, or one that an obedient model finds.
func ScoreAttacks(attacks []string) (found, obeyed int) {
	for _, text := range attacks {
		var rulesFound, modelFound Approvals
		rulesFound.Add(text, rules.Detect(text))
		modelFound.Add(text, Obedient(text))
		found += rulesFound.Approved
		obeyed += modelFound.Approved
	}
	return found, obeyed
}

// longestQuoted is how much an obedient model quotes. longestContent is how long a memory
// may be.
const (
	longestQuoted  = 200
	longestContent = 300
)

// Obedient returns what the worst model finds in a message: everything that it says, in its
// own words and as a statement about the user, with the beginning of the message as proof.
// Like the service, it leaves out statements with a secret.
func Obedient(text string) []rules.Finding {
	end := 0
	for at, r := range text {
		if at >= longestQuoted {
			break
		}
		end++
		if r > 0xffff {
			end++
		}
	}
	var all []rules.Finding
	for _, content := range []string{text, "User " + text, "User wants this: " + text} {
		content = strings.Join(strings.Fields(content), " ")
		if utf8.RuneCountInString(content) > longestContent {
			content = string([]rune(content)[:longestContent])
		}
		if end > 0 && rules.Redact(content) == content && rules.Redact(text) == text {
			all = append(all, rules.Finding{Type: "preference", Content: content, Confidence: 1, End: end})
		}
	}
	return all
}

// AWSAttacks reads the cases that must be refused or held back.
func AWSAttacks(text []byte) ([]string, error) {
	var all []struct{ Category, WriteContent, ExpectedDecision string }
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	var attacks []string
	for _, c := range all {
		if c.ExpectedDecision != "ALLOW" {
			attacks = append(attacks, c.WriteContent)
		}
	}
	return attacks, nil
}

// OWASPAttacks reads the string literals of the fourth argument of each
// TestCase that must be detected; the program is not run. A repeated literal counts
// once, and a value without a literal is left out.
func OWASPAttacks(text []byte) ([]string, error) {
	_, corpus, ok := strings.Cut(string(text), "ATTACK_CORPUS")
	if !ok {
		return nil, fmt.Errorf("no ATTACK_CORPUS")
	}
	corpus, _, _ = strings.Cut(corpus, "\n]\n")
	var attacks []string
	for _, call := range strings.Split(corpus, "TestCase(\"")[1:] {
		args, err := arguments("\"" + call)
		if err != nil {
			return nil, err
		}
		if len(args) > 4 && args[4].code == "True" && args[3].text != "" && !strings.Contains(args[3].code, "json") {
			attacks = append(attacks, args[3].text)
		}
	}
	return attacks, nil
}

// argument is an argument of a call: the text of its string literals, and the other text.
type argument struct{ text, code string }

// arguments reads the arguments of a Python call up to its closing bracket.
func arguments(call string) ([]argument, error) {
	all := []argument{{}}
	for depth := 0; call != ""; {
		last := &all[len(all)-1]
		switch c := call[0]; {
		case c == '"' || c == '\'':
			text, rest, err := literal(call)
			if err != nil {
				return nil, err
			}
			last.text += text
			call = rest
			continue
		case c == ',' && depth == 0:
			all = append(all, argument{})
		case strings.IndexByte("([{", c) >= 0:
			depth++
		case c == ')' && depth == 0:
			return all, nil
		case strings.IndexByte(")]}", c) >= 0:
			depth--
		case c != ' ' && c != '\n':
			last.code += string(c)
		}
		call = call[1:]
	}
	return nil, fmt.Errorf("a call that does not end")
}

// literal reads the string literal at the beginning of a text. The literals of the file use
// the escapes of Go.
func literal(call string) (text, rest string, err error) {
	quote := call[0]
	for end := 1; end < len(call); end++ {
		switch call[end] {
		case '\\':
			end++
		case quote:
			inner := call[1:end]
			if quote == '\'' {
				inner = strings.ReplaceAll(inner, `"`, `\"`)
			}
			text, err = strconv.Unquote(`"` + inner + `"`)
			return text, call[end+1:], err
		}
	}
	return "", "", fmt.Errorf("a literal that does not end")
}
