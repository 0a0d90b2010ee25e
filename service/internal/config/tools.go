package config

import (
	"errors"
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/clock"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/tool"
)

// toolEntry is the entry of an agent's tool: an http or page tool, or an MCP server.
type toolEntry struct {
	Kind        string                `yaml:"kind"`
	Name        string                `yaml:"name"`
	Description string                `yaml:"description"`
	Parameters  any                   `yaml:"parameters"`
	URL         string                `yaml:"url"`
	SecretEnv   string                `yaml:"secret_env"`
	TokenEnv    string                `yaml:"token_env"`
	Prefix      string                `yaml:"prefix"`
	Only        []string              `yaml:"only"`
	Reviewed    string                `yaml:"reviewed"`
	Each        map[string]traitEntry `yaml:"each"`
	Traits      traitEntry            `yaml:",inline"`
}

// traitEntry has the fields that the entry of any tool may have.
type traitEntry struct {
	Approval   string `yaml:"approval"`
	Idempotent *bool  `yaml:"idempotent"`
	Timeout    string `yaml:"timeout"`
}

// toolReader reads the tools of one agent.
type toolReader struct {
	env     Lookup
	log     *slog.Logger
	tools   []*tool.Tool
	servers []*tool.Server
	// taken are the names of tools, and the prefixes of servers.
	taken map[string]bool
}

// readTools returns the tools that an agent may use, nil if the file says nothing about tools.
func readTools(entries []toolEntry, pageTools any, env Lookup, log *slog.Logger) (*tool.Set, *misplaced) {
	rule := tool.PageToolsAny
	if pageTools != nil {
		rule = fmt.Sprint(pageTools)
	}
	rules := []string{tool.PageToolsAny, tool.PageToolsDeclared, tool.PageToolsNone}
	if !slices.Contains(rules, rule) {
		return nil, &misplaced{"page_tools", fmt.Errorf("page_tools: want %s", strings.Join(rules, ", "))}
	}
	if len(entries) == 0 && pageTools == nil {
		return nil, nil
	}
	r := &toolReader{env: env, log: log, taken: map[string]bool{}}
	for i, entry := range entries {
		if field, err := r.read(entry); err != nil {
			return nil, &misplaced{strings.TrimSuffix(fmt.Sprintf("tools[%d].%s", i, field), "."), fmt.Errorf("tool %d: %w", i+1, err)}
		}
	}
	set, err := tool.NewSet(r.tools, r.servers, rule)
	if err != nil {
		return nil, &misplaced{"tools", err}
	}
	return set, nil
}

// read reads an entry. With an error it returns the wrong field.
func (r *toolReader) read(e toolEntry) (field string, err error) {
	if field, err := e.check(); err != nil {
		return field, err
	}
	key, field := e.Name, "name"
	if e.Kind == wire.ToolMCP {
		key, field = e.Prefix+" of a server", "prefix"
	}
	if r.taken[key] {
		return field, fmt.Errorf("%s %q occurs twice", field, strings.TrimSuffix(key, " of a server"))
	}
	r.taken[key] = true
	if e.Kind == wire.ToolMCP {
		return r.readServer(e)
	}
	return r.readTool(e)
}

// fieldsOf are the fields of a kind, in addition to those of every kind.
var fieldsOf = map[string][]string{
	wire.ToolHTTP: {"name", "description", "parameters", "url", "secret_env"},
	wire.ToolMCP:  {"url", "token_env", "prefix", "only", "each", "reviewed"},
	wire.ToolPage: {"name", "description", "parameters"},
}

// check finds fields that belong to another kind of tool.
func (e toolEntry) check() (field string, err error) {
	own, known := fieldsOf[e.Kind]
	if !known {
		return "kind", fmt.Errorf("kind is %q, want %s, %s or %s", e.Kind, wire.ToolHTTP, wire.ToolMCP, wire.ToolPage)
	}
	for field, isSet := range map[string]bool{
		"name": e.Name != "", "description": e.Description != "", "parameters": e.Parameters != nil, "url": e.URL != "", "secret_env": e.SecretEnv != "",
		"token_env": e.TokenEnv != "", "prefix": e.Prefix != "", "only": e.Only != nil, "each": e.Each != nil, "reviewed": e.Reviewed != "",
	} {
		if isSet && !slices.Contains(own, field) {
			return field, fmt.Errorf("%s does not go with kind %s", field, e.Kind)
		}
	}
	return "", nil
}

// readTool reads an http tool, or a tool of the page.
func (r *toolReader) readTool(e toolEntry) (field string, err error) {
	traits, err := e.Traits.traits(tool.Traits{})
	if err != nil {
		return "timeout", err
	}
	parameters, err := jsonOf(e.Parameters)
	if err != nil {
		return "parameters", err
	}
	var carrier tool.Carrier
	if e.Kind == wire.ToolHTTP {
		secret, err := secretOf(r.env, "secret_env", e.SecretEnv)
		if err != nil {
			return "secret_env", err
		}
		if carrier, err = tool.NewHTTP(e.URL, secret, clock.Now, r.log.With("tool", e.Name)); err != nil {
			return "url", err
		}
	}
	one, err := tool.New(tool.Definition{
		Kind: e.Kind, Name: e.Name, Description: e.Description, Address: e.URL, Parameters: parameters,
		Approval: traits.Approval, Idempotent: traits.Idempotent, Timeout: traits.Timeout,
	}, carrier)
	if err != nil {
		return refused(err)
	}
	r.tools = append(r.tools, one)
	return "", nil
}

// readServer reads an MCP server.
func (r *toolReader) readServer(e toolEntry) (field string, err error) {
	config := tool.ServerConfig{URL: e.URL, Prefix: e.Prefix, Only: e.Only, Reviewed: e.Reviewed, Each: map[string]tool.Traits{}, Log: r.log}
	if e.TokenEnv != "" {
		if config.Token, err = secretOf(r.env, "token_env", e.TokenEnv); err != nil {
			return "token_env", err
		}
	}
	if config.Traits, err = e.Traits.traits(tool.Traits{}); err != nil {
		return "timeout", err
	}
	for name, own := range e.Each {
		if e.Only != nil && !slices.Contains(e.Only, name) {
			return "each", fmt.Errorf("each names %q, which is not listed in only", name)
		}
		if config.Each[name], err = own.traits(config.Traits); err != nil {
			return "each", fmt.Errorf("each: %s: %w", name, err)
		}
	}
	server, err := tool.NewServer(config)
	if err != nil {
		return refused(err)
	}
	r.servers = append(r.servers, server)
	return "", nil
}

// traits returns the traits of the entry, with others as the defaults.
func (e traitEntry) traits(others tool.Traits) (tool.Traits, error) {
	if e.Approval != "" {
		others.Approval = e.Approval
	}
	if e.Idempotent != nil {
		others.Idempotent = *e.Idempotent
	}
	if e.Timeout == "" {
		return others, nil
	}
	given, err := time.ParseDuration(e.Timeout)
	if err != nil || given <= 0 {
		return others, fmt.Errorf("timeout is %q, want a duration such as 60s", e.Timeout)
	}
	others.Timeout = given
	return others, nil
}

var variables = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// secretOf returns the variable that a field names. Text that is not the name of a variable may be
// the secret itself, so the error doesn't repeat it.
func secretOf(env Lookup, field, name string) (string, error) {
	if !variables.MatchString(name) {
		return "", fmt.Errorf("%s: want the name of an environment variable that holds the secret", field)
	}
	value, _ := env(name)
	if value == "" {
		return "", fmt.Errorf("%s: the environment variable %s is not set", field, name)
	}
	return value, nil
}

// refused returns the error of package tool, and the field that it is about.
func refused(err error) (field string, told error) {
	var refusal *fault.Error
	if errors.As(err, &refusal) && len(refusal.Fields) == 1 {
		return refusal.Fields[0], errors.New(refusal.Message)
	}
	return "", err
}
