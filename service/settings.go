package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/agent/openai"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/httpapi"
)

// settings are what section 9 of the contract lets an operator set.
type settings struct {
	addr, data, project string
	apiKey, apiSecret   string
	agents              string
	origins             []string
	openaiURL           string
	openaiKey           string
	model               string
	heartbeat           time.Duration
	providerTimeout     time.Duration
	demo                bool
	chatLimits          chat.Limits
	jsonBytes           int

	printToken, role string
	version          bool
}

// setting is one of them: an environment variable, a flag, or both. The flag
// wins.
type setting struct {
	env, flag, usage string
	set              func(text string) error
}

func defaults() settings {
	return settings{
		addr: "127.0.0.1:8080", data: "./data", project: "demo",
		heartbeat: httpapi.DefaultHeartbeat, providerTimeout: openai.DefaultTimeout,
		chatLimits: chat.Limits{MessageCharacters: 32_000, NameCharacters: 200, SendsPerMinute: 60, StreamsPerUser: 20},
		jsonBytes:  1 << 20,
	}
}

func (s *settings) list() []setting {
	return []setting{
		{"ADDR", "addr", "where to listen, `HOST:PORT`; port 0 takes a free one (127.0.0.1:8080)", address(&s.addr)},
		{"DATA", "data", "`FOLDER` of the database and files (./data)", text(&s.data)},
		{"PROJECT_ID", "project", "the project's `ID` (demo)", text(&s.project)},
		{"API_KEY", "", "", text(&s.apiKey)},
		{"API_SECRET", "", "", text(&s.apiSecret)},
		{"AGENTS", "agents", "YAML `FILE` of the agents (one, \"assistant\")", text(&s.agents)},
		{"ALLOWED_ORIGINS", "origins", "`ORIGINS` of pages that may call, comma separated (none)", origins(&s.origins)},
		{"OPENAI_BASE_URL", "openai-url", "`URL` of an OpenAI-compatible model provider (the embedded agent)", text(&s.openaiURL)},
		{"OPENAI_API_KEY", "", "", text(&s.openaiKey)},
		{"MODEL", "model", "the `MODEL` to ask", text(&s.model)},
		{"HEARTBEAT", "heartbeat", "longest silence of a stream, 1s to 10s (10s)", duration(&s.heartbeat, time.Second, 10*time.Second)},
		{"PROVIDER_TIMEOUT", "provider-timeout", "longest silence of a model (60s)", duration(&s.providerTimeout, time.Second, time.Hour)},
		{"DEMO", "demo", "also serve examples/ and dist/ and hand out demo tokens", boolean(&s.demo)},
		{"MESSAGE_CHARACTERS", "message-characters", "`LIMIT` of a message (32000); 0 for none, here and below", count(&s.chatLimits.MessageCharacters)},
		{"NAME_CHARACTERS", "name-characters", "`LIMIT` of a chat's name (200)", count(&s.chatLimits.NameCharacters)},
		{"JSON_BYTES", "json-bytes", "`LIMIT` of a JSON body (1048576)", count(&s.jsonBytes)},
		{"SENDS_PER_MINUTE", "sends-per-minute", "`LIMIT` of messages a minute for each user (60)", count(&s.chatLimits.SendsPerMinute)},
		{"STREAMS_PER_USER", "streams-per-user", "`LIMIT` of answers at once for each user (20)", count(&s.chatLimits.StreamsPerUser)},
		{"", "print-token", "write an access token for `USER` and exit", text(&s.printToken)},
		{"", "role", "`ROLE` of that token, user or admin (user)", oneOf(&s.role, wire.RoleOrdinary, wire.RoleAdmin)},
		{"", "version", "write the version and exit", boolean(&s.version)},
	}
}

// readSettings reads the environment and then the flags. An error is one line
// that names the setting.
func readSettings(args []string, env func(string) (string, bool), stderr io.Writer) (*settings, error) {
	s := defaults()
	flags := flag.NewFlagSet("service", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	for _, setting := range s.list() {
		if value, ok := env(setting.env); setting.env != "" && ok && value != "" {
			if err := setting.set(value); err != nil {
				return nil, fmt.Errorf("%s %w", setting.env, err)
			}
		}
		if setting.flag != "" {
			flags.Var(&flagValue{setting.set, setting.flag == "demo" || setting.flag == "version"}, setting.flag, setting.usage)
		}
	}
	err := flags.Parse(args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage(flags, stderr)
		return nil, err
	case err != nil:
		return nil, err
	case flags.NArg() > 0:
		return nil, fmt.Errorf("unknown argument %q; see -h", flags.Arg(0))
	}
	return &s, s.check()
}

func usage(flags *flag.FlagSet, stderr io.Writer) {
	fmt.Fprintln(stderr, "service [flags]\n\nEach flag is an environment variable too, in capitals; API_KEY, API_SECRET and OPENAI_API_KEY are variables alone.\n ")
	flags.SetOutput(stderr)
	flags.PrintDefaults()
}

// flagValue is a flag.Value whose errors say what is wanted.
type flagValue struct {
	set    func(string) error
	isBool bool
}

func (v *flagValue) Set(text string) error { return v.set(text) }
func (v *flagValue) String() string        { return "" }
func (v *flagValue) IsBoolFlag() bool      { return v.isBool }

// check finds what does not fit together.
func (s *settings) check() error {
	switch {
	case s.project == "." || s.project == "..":
		return fmt.Errorf("PROJECT_ID is %q, which cannot be an id", s.project)
	case (s.apiKey == "") != (s.apiSecret == ""):
		return errors.New("API_KEY and API_SECRET belong together, and one of them is not set")
	case s.role != "" && s.printToken == "":
		return errors.New("-role goes with -print-token")
	case s.hasProvider() && s.model == "" && s.agents == "":
		return errors.New("MODEL is not set; name the model to ask")
	case !s.hasProvider() && s.model != "":
		return errors.New("MODEL is set, but neither OPENAI_BASE_URL nor OPENAI_API_KEY")
	case s.demo && !isLoopback(s.addr):
		return fmt.Errorf("ADDR is %s, and DEMO hands out tokens to anybody: it starts on a loopback address alone", s.addr)
	}
	return nil
}

// hasProvider tells whether a model is to be asked.
func (s *settings) hasProvider() bool { return s.openaiURL != "" || s.openaiKey != "" }

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}

func text(to *string) func(string) error {
	return func(text string) error {
		*to = text
		return nil
	}
}

func address(to *string) func(string) error {
	return func(text string) error {
		_, port, err := net.SplitHostPort(text)
		number, portErr := strconv.ParseUint(port, 10, 16)
		if err != nil || portErr != nil || number > 65535 {
			return fmt.Errorf("is %q, want HOST:PORT such as 127.0.0.1:8080", text)
		}
		*to = text
		return nil
	}
}

func boolean(to *bool) func(string) error {
	return func(text string) (err error) {
		if *to, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("is %q, want true or false", text)
		}
		return nil
	}
}

func count(to *int) func(string) error {
	return func(text string) error {
		number, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return fmt.Errorf("is %q, want a whole number from 0", text)
		}
		*to = int(number)
		return nil
	}
}

func duration(to *time.Duration, least, most time.Duration) func(string) error {
	return func(text string) error {
		value, err := time.ParseDuration(text)
		if err != nil || value < least || value > most {
			return fmt.Errorf("is %q, want a duration from %v to %v such as 5s", text, least, most)
		}
		*to = value
		return nil
	}
}

func oneOf(to *string, values ...string) func(string) error {
	return func(text string) error {
		for _, value := range values {
			if text == value {
				*to = text
				return nil
			}
		}
		return fmt.Errorf("is %q, want %s", text, strings.Join(values, " or "))
	}
}

// origins reads a list of origins as browsers write them (RFC 6454, section 6.2).
func origins(to *[]string) func(string) error {
	return func(text string) error {
		*to = nil
		for _, origin := range strings.Split(text, ",") {
			origin = strings.TrimSpace(origin)
			if origin == "" {
				continue
			}
			u, err := url.Parse(origin)
			if err != nil || u.Host == "" || origin != u.Scheme+"://"+strings.ToLower(u.Host) {
				return fmt.Errorf("holds %q, want origins such as https://app.example.com", origin)
			}
			*to = append(*to, origin)
		}
		return nil
	}
}
