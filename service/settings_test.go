package main_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/service/internal/config"
)

// lookup is the environment as a lookup.
func (e env) lookup(name string) (string, bool) {
	value, ok := e[name]
	return value, ok
}

// settings returns what was read, as text.
func settings(t *testing.T, e env, args ...string) string {
	t.Helper()
	s, _, err := config.Parse(0, args, e.lookup)
	require.NoError(t, err)
	return fmt.Sprintf("%+v", *s)
}

// everySetting has two valid texts for each setting, what the first one sets,
// and the other settings that it needs.
var everySetting = []struct {
	env, flag   string
	text, other string
	sets        string
	beside      env
}{
	{env: "ADDR", flag: "addr", text: "[::1]:0", other: ":65535", sets: "Addr:[::1]:0 "},
	{env: "METRICS_ADDR", flag: "metrics-addr", text: "[::1]:0", other: ":65535", sets: "MetricsAddr:[::1]:0 "},
	{env: "DATA", flag: "data", text: "/some where", other: "x", sets: "Data:/some where "},
	{env: "DATABASE_URL", text: "postgres://u@h/d", sets: "DatabaseURL:postgres://u@h/d ",
		beside: env{"API_KEY": "k", "API_SECRET": "s", "MEMORY_KEY": "m"}},
	{env: "DATABASE_NOTIFY", flag: "database-notify", text: "false", other: "true", sets: "DatabaseNotify:false "},
	{env: "MEMORY_KEY", text: "key 2", sets: "memoryKey:key 2 "},
	{env: "REPLICA", flag: "replica", text: "one", other: "two", sets: "replica:one "},
	{env: "DRAIN", flag: "drain", text: "1s", other: "1h", sets: "drain:1000000000 "},
	{env: "PROJECT_ID", flag: "project", text: "p 1", other: "p2", sets: "Project:p 1 "},
	{env: "API_KEY", text: "key 1", sets: "APIKey:key 1 ", beside: env{"API_SECRET": "s"}},
	{env: "API_SECRET", text: "one,two", sets: "APISecret:one,two ", beside: env{"API_KEY": "k"}},
	{env: "AGENTS", flag: "agents", text: "a.yaml", other: "b.yaml", sets: "AgentsFile:a.yaml "},
	{env: "ALLOWED_ORIGINS", flag: "origins", text: "https://a.example:65535, http://localhost:*,http://[::1]:*,", other: "capacitor://localhost",
		sets: "Origins:[https://a.example:65535 http://localhost:* http://[::1]:*] "},
	{env: "ALLOWED_HEADERS", flag: "allowed-headers", text: "X-Tenant, x-api-key,", other: "x-b", sets: "AllowedHeaders:[x-tenant x-api-key] "},
	{env: "PROVIDERS", flag: "providers", text: "p.yaml", other: "q.yaml", sets: "ProvidersFile:p.yaml "},
	{env: "OPENAI_BASE_URL", flag: "openai-url", text: "http://a/v1", other: "http://b", sets: "OpenAIURL:http://a/v1 ", beside: env{"MODEL": "m"}},
	{env: "OPENAI_API_KEY", text: "sk-1", sets: "OpenAIKey:sk-1 ", beside: env{"MODEL": "m"}},
	{env: "MODEL", flag: "model", text: "small", other: "large", sets: "Model:small Models:[] ", beside: env{"OPENAI_API_KEY": "sk"}},
	{env: "SEARCH_KEY", text: "k 1", sets: "SearchKey:k 1 ", beside: env{"SEARCH_ENGINE_ID": "e"}},
	{env: "SEARCH_ENGINE_ID", text: "e1", sets: "SearchEngine:e1 ", beside: env{"SEARCH_KEY": "k"}},
	{env: "SEARCH_BASE_URL", flag: "search-url", text: "http://a", other: "http://b", sets: "SearchURL:http://a "},
	{env: "HEARTBEAT", flag: "heartbeat", text: "1s", other: "9999ms", sets: "Heartbeat:1s "},
	{env: "STREAM_RETENTION", flag: "stream-retention", text: "1s", other: "24h", sets: "StreamRetention:1s "},
	{env: "PROVIDER_TIMEOUT", flag: "provider-timeout", text: "90s", other: "1h", sets: "ProviderTimeout:1m30s "},
	{env: "PENDING_LIFETIME", flag: "pending-lifetime", text: "1s", other: "87600h", sets: "PendingLifetime:1s "},
	{env: "APPROVAL_LIFETIME", flag: "approval-lifetime", text: "1s", other: "87600h", sets: "ApprovalLifetime:1s "},
	{env: "MAX_TOOL_CALLS", flag: "max-tool-calls", text: "1", other: "1000", sets: "ToolCalls:1 "},
	{env: "RUNNING_CALLS", flag: "running-calls", text: "1", other: "10000", sets: "RunningCalls:1 "},
	{env: "RUNNING_CALLS_PER_USER", flag: "running-calls-per-user", text: "1", other: "10000", sets: "RunningCallsPerUser:1 "},
	{env: "RUNNING_CALLS_PER_TOOL", flag: "running-calls-per-tool", text: "1", other: "10000", sets: "RunningCallsPerTool:1}"},
	{env: "CONSOLE", flag: "console", text: "true", other: "false", sets: "Console:true "},
	{env: "DEMO", flag: "demo", text: "true", other: "false", sets: "Demo:true "},
	{env: "MESSAGE_CHARACTERS", flag: "message-characters", text: "0", other: "7", sets: "ChatLimits:{MessageCharacters:0 "},
	{env: "ANSWER_BYTES", flag: "answer-bytes", text: "0", other: "7", sets: "AnswerBytes:0 "},
	{env: "NAME_CHARACTERS", flag: "name-characters", text: "3", other: "7", sets: "NameCharacters:3 "},
	{env: "JSON_BYTES", flag: "json-bytes", text: "2147483647", other: "7", sets: "JSONBytes:2147483647 "},
	{env: "IMAGES", flag: "images", text: "0", other: "7", sets: "Images:0 "},
	{env: "IMAGE_BYTES", flag: "image-bytes", text: "2147483647", other: "7", sets: "ImageBytes:2147483647 "},
	{env: "DOCUMENT_BYTES", flag: "document-bytes", text: "0", other: "7", sets: "DocumentBytes:0 "},
	{env: "SENDS_PER_MINUTE", flag: "sends-per-minute", text: "3", other: "7", sets: "SendsPerMinute:3 "},
	{env: "STREAMS_PER_USER", flag: "streams-per-user", text: "3", other: "7", sets: "StreamsPerUser:3 "},
	{env: "BYTES_IN_FLIGHT", flag: "bytes-in-flight", text: "8589934592", other: "0", sets: "BytesInFlight:8589934592 "},
	{env: "BYTES_IN_FLIGHT_PER_USER", flag: "bytes-in-flight-per-user", text: "0", other: "7", sets: "BytesInFlightPerUser:0 "},
	{env: "METADATA_BYTES", flag: "metadata-bytes", text: "0", other: "7", sets: "MetadataBytes:0 "},
	{env: "DOCUMENT_KEYS", flag: "document-keys", text: "3", other: "7", sets: "DocumentKeys:3 "},
	{env: "USER_ID_BYTES", flag: "user-id-bytes", text: "3", other: "7", sets: "UserIDBytes:3 "},
	{env: "CHATS_PER_USER", flag: "chats-per-user", text: "3", other: "7", sets: "Totals:{Chats:3 "},
	{env: "DOCUMENTS_PER_USER", flag: "documents-per-user", text: "3", other: "7", sets: "Documents:3 "},
	{env: "DOCUMENT_BYTES_PER_USER", flag: "document-bytes-per-user", text: "3", other: "7", sets: "DocumentBytes:3}"},
	{env: "MEMORIES_PER_USER", flag: "memories-per-user", text: "0", other: "7", sets: "MemoriesPerUser:0 "},
	{env: "CHATS_PER_MINUTE", flag: "chats-per-minute", text: "3", other: "7", sets: "ChatsPerMinute:3 "},
	{env: "UPLOADS_PER_MINUTE", flag: "uploads-per-minute", text: "3", other: "7", sets: "UploadsPerMinute:3 "},
	{env: "WRITES_PER_MINUTE", flag: "writes-per-minute", text: "3", other: "7", sets: "WritesPerMinute:3 "},
	{env: "READS_PER_MINUTE", flag: "reads-per-minute", text: "3", other: "7", sets: "ReadsPerMinute:3}"},
}

func TestSettings(t *testing.T) {
	t.Parallel()
	for _, one := range everySetting {
		t.Run(one.env, func(t *testing.T) {
			t.Parallel()
			byEnv := settings(t, one.beside.with(env{one.env: one.text}))
			require.Contains(t, byEnv, one.sets)
			require.NotContains(t, settings(t, nil), one.sets, "it differs from the default")
			if one.flag == "" {
				_, _, err := config.Parse(0, []string{"-" + strings.ToLower(one.env), "x"}, env{}.lookup)
				require.Error(t, err, "a secret has no flag")
				return
			}
			require.Equal(t, byEnv, settings(t, one.beside, "-"+one.flag+"="+one.text), "flag and variable mean the same")
			both := settings(t, one.beside.with(env{one.env: one.other}), "-"+one.flag+"="+one.text)
			require.Equal(t, byEnv, both, "the flag wins")
		})
	}
}

func TestDefaultSettings(t *testing.T) {
	t.Parallel()
	require.Equal(t, "{Addr:127.0.0.1:8080 Data:./data Project:demo APIKey: APISecret: DatabaseURL: DatabaseNotify:true memoryKey: replica: drain:0 "+
		"MetricsAddr: AgentsFile: Origins:[] AllowedHeaders:[] ProvidersFile: OpenAIURL: OpenAIKey: Model: Models:[] "+
		"SearchKey: SearchEngine: SearchURL: Heartbeat:10s StreamRetention:10m0s ProviderTimeout:1m0s "+
		"PendingLifetime:168h0m0s ApprovalLifetime:24h0m0s Demo:false Console:false "+
		"ChatLimits:{MessageCharacters:32000 NameCharacters:200 DocumentKeys:100 SendsPerMinute:60 StreamsPerUser:20 "+
		"AnswerBytes:8388608 ToolCalls:25 RunningCalls:256 RunningCallsPerUser:32 RunningCallsPerTool:64} "+
		"Requests:{JSONBytes:1048576 MessageCharacters:0 Images:10 ImageBytes:10485760 DocumentBytes:26214400 BytesInFlight:536870912 "+
		"BytesInFlightPerUser:134217728 MetadataBytes:16384 UserIDBytes:255 ChatsPerMinute:60 UploadsPerMinute:30 WritesPerMinute:600 ReadsPerMinute:1200} "+
		"Totals:{Chats:10000 Documents:1000 DocumentBytes:262144000} MemoriesPerUser:5000 Readers:2 ReaderHeap:0 "+
		"PrintToken: Role: Version:false Quiet:false}", settings(t, nil))
	empty := env{}
	for _, one := range everySetting {
		empty[one.env] = ""
	}
	require.Equal(t, settings(t, nil), settings(t, empty), "an empty variable is not set")
}

// A list of models has the default first.
func TestSeveralModels(t *testing.T) {
	t.Parallel()
	require.Contains(t, settings(t, env{"OPENAI_API_KEY": "sk", "MODEL": " large , vendor/small:8b,tiny"}), "Model:large Models:[vendor/small:8b tiny] ")
}

// Many people have a key in their environment for other programs.
func TestAProviderKeyAloneIsValid(t *testing.T) {
	t.Parallel()
	require.Contains(t, settings(t, env{"OPENAI_API_KEY": "sk-1"}), "OpenAIKey:sk-1 Model: ")
}

func TestFlagUnsetsVariable(t *testing.T) {
	t.Parallel()
	require.Equal(t, settings(t, nil), settings(t, env{
		"AGENTS": "a.yaml", "ALLOWED_ORIGINS": "https://a.example", "MODEL": "m", "OPENAI_BASE_URL": "http://a", "DEMO": "1",
	}, "-agents=", "-origins", "", "-model=", "-openai-url=", "-demo=false"))
}

// badSettings are settings, each with what the line about it must say. Run as a
// process, each ends with that one line and exit code 1.
var badSettings = []struct {
	name string
	env  env
	args []string
	want []string
}{
	{"ADDR without a port", env{"ADDR": "localhost"}, nil, []string{"ADDR", `"localhost"`, "HOST:PORT"}},
	{"METRICS_ADDR without a port", env{"METRICS_ADDR": "localhost"}, nil, []string{"METRICS_ADDR", `"localhost"`, "HOST:PORT"}},
	{"ADDR with a name for a port", env{"ADDR": ":http"}, nil, []string{"ADDR", "HOST:PORT"}},
	{"ADDR with a port out of range", nil, []string{"-addr", ":65536"}, []string{"-addr", `":65536"`, "HOST:PORT"}},
	{"a search key alone", env{"SEARCH_KEY": "k"}, nil, []string{"SEARCH_KEY", "SEARCH_ENGINE_ID"}},
	{"a search engine alone", env{"SEARCH_ENGINE_ID": "k"}, nil, []string{"SEARCH_KEY", "SEARCH_ENGINE_ID"}},
	{"an empty folder", nil, []string{"-data="}, []string{"-data", "want a folder"}},
	{"an empty project", nil, []string{"-project", ""}, []string{"-project", "want an id"}},
	{"a project that is not an id", env{"PROJECT_ID": ".."}, nil, []string{"PROJECT_ID", `".."`}},
	{"a key without a secret", env{"API_KEY": "k"}, nil, []string{"API_KEY", "API_SECRET"}},
	{"a secret without a key", env{"API_SECRET": apiSecret}, nil, []string{"API_KEY", "API_SECRET"}},
	{"a database without a key", env{"DATABASE_URL": "postgres://h/d"}, nil, []string{"DATABASE_URL", "API_KEY is not"}},
	{"a database without a memory key", sharing("postgres://h/d", env{"MEMORY_KEY": ""}), nil, []string{"DATABASE_URL", "MEMORY_KEY is not"}},
	{"a memory key that is too short", sharing("postgres://h/d", env{"MEMORY_KEY": "short"}), nil, []string{"MEMORY_KEY", "32 or more"}},
	{"a database with an invalid address", sharing("postgres://u:hunter2@h:port/d", nil), nil, []string{"DATABASE_URL", "postgres://USER"}},
	{"a database that can't be reached", sharing("postgres://u:hunter2@127.0.0.1:1/d", nil), nil, []string{"DATABASE_URL", "127.0.0.1:1", "refused"}},
	{"a database on an unknown host", sharing("postgres://u:hunter2@host.invalid/d", nil), nil, []string{"DATABASE_URL", "host.invalid"}},
	{"a drain of 0", env{"DRAIN": "0s"}, nil, []string{"DRAIN", "from 1s to 1h"}},
	{"a heartbeat that is too long", env{"HEARTBEAT": "11s"}, nil, []string{"HEARTBEAT", `"11s"`, "from 1s to 10s"}},
	{"a retention that is too long", env{"STREAM_RETENTION": "24h1s"}, nil, []string{"STREAM_RETENTION", "from 1s to 24h"}},
	{"a heartbeat that is too short", env{"HEARTBEAT": "999ms"}, nil, []string{"HEARTBEAT", "from 1s to 10s"}},
	{"a heartbeat without a unit", nil, []string{"-heartbeat", "5"}, []string{"-heartbeat", `"5"`, "such as 5s"}},
	{"a timeout of 0", env{"PROVIDER_TIMEOUT": "0"}, nil, []string{"PROVIDER_TIMEOUT", "from 1s to 1h"}},
	{"a lifetime of 0", nil, []string{"-pending-lifetime=0s"}, []string{"-pending-lifetime", "from 1s to 87600h"}},
	{"DEMO that is neither true nor false", env{"DEMO": "yes please"}, nil, []string{"DEMO", "true or false"}},
	{"-demo that is neither true nor false", nil, []string{"-demo=no"}, []string{"-demo", "true or false"}},
	{"DEMO for everybody", env{"DEMO": "1", "ADDR": "0.0.0.0:0"}, nil, []string{"DEMO", "ADDR", "0.0.0.0:0", "loopback"}},
	{"DEMO on every address", env{"DEMO": "1", "ADDR": ":0"}, nil, []string{"DEMO", "loopback"}},
	{"DEMO under a name", env{"DEMO": "1", "ADDR": "example.com:0"}, nil, []string{"DEMO", "loopback"}},
	{"a limit below 0", env{"NAME_CHARACTERS": "-1"}, nil, []string{"NAME_CHARACTERS", `"-1"`, "whole number"}},
	{"a limit with a fraction", nil, []string{"-json-bytes=1.5"}, []string{"-json-bytes", "whole number"}},
	{"a limit out of range", nil, []string{"-sends-per-minute=2147483648"}, []string{"-sends-per-minute", "2147483647"}},
	{"a limit in words", env{"STREAMS_PER_USER": "many"}, nil, []string{"STREAMS_PER_USER", "whole number"}},
	{"a size below 0", nil, []string{"-bytes-in-flight=-1"}, []string{"bytes-in-flight", "-1", "whole number of bytes"}},
	{"an origin with a path", env{"ALLOWED_ORIGINS": "https://a.example/"}, nil, []string{"ALLOWED_ORIGINS", `"https://a.example/"`}},
	{"an origin without a scheme", env{"ALLOWED_ORIGINS": "https://a.example,b.example"}, nil, []string{"ALLOWED_ORIGINS", `"b.example"`}},
	{"any origin", env{"ALLOWED_ORIGINS": "*"}, nil, []string{"ALLOWED_ORIGINS", `"*"`}},
	{"any port elsewhere", env{"ALLOWED_ORIGINS": "https://app.example:*"}, nil, []string{"ALLOWED_ORIGINS", `"https://app.example:*": * may only stand for the port`, "http://localhost:*"}},
	{"any port of a name that begins with localhost", nil, []string{"-origins", "http://localhost.evil.com:*"}, []string{"-origins", "http://localhost:*"}},
	{"any port of another scheme", env{"ALLOWED_ORIGINS": "capacitor://localhost:*"}, nil, []string{"http://localhost:*"}},
	{"a part of a port", env{"ALLOWED_ORIGINS": "http://localhost:5*"}, nil, []string{"http://localhost:*"}},
	{"any port and a path", env{"ALLOWED_ORIGINS": "http://localhost:*/"}, nil, []string{"http://localhost:*"}},
	{"any name", env{"ALLOWED_ORIGINS": "https://*.example.com"}, nil, []string{`"https://*.example.com"`, "http://localhost:*"}},
	{"any scheme", env{"ALLOWED_ORIGINS": "*://localhost:*"}, nil, []string{"http://localhost:*"}},
	{"an origin in capitals", env{"ALLOWED_ORIGINS": "https://A.example"}, nil, []string{"ALLOWED_ORIGINS"}},
	{"a header with a space", nil, []string{"-allowed-headers=x a"}, []string{"-allowed-headers", "x-tenant"}},
	{"all headers", nil, []string{"-allowed-headers=*"}, []string{"-allowed-headers", "x-tenant"}},
	{"an origin with the port that browsers leave out", nil, []string{"-origins=https://a.example:443"}, []string{"-origins", ":443"}},
	{"an origin with a port that there is not", env{"ALLOWED_ORIGINS": "https://a.example:99999"}, nil, []string{"ALLOWED_ORIGINS", ":99999", "1 to 65535"}},
	{"an origin with the port after the last", nil, []string{"-origins=http://[::1]:65536"}, []string{"-origins", "1 to 65535"}},
	{"an origin with port 0", env{"ALLOWED_ORIGINS": "http://localhost:0"}, nil, []string{"ALLOWED_ORIGINS", "1 to 65535"}},
	{"an origin with a port that begins with 0", env{"ALLOWED_ORIGINS": "http://localhost:08080"}, nil, []string{"ALLOWED_ORIGINS", "1 to 65535"}},
	{"an origin with a port like a number", env{"ALLOWED_ORIGINS": "http://localhost:99999999999999999999"}, nil, []string{"ALLOWED_ORIGINS", "1 to 65535"}},
	{"an origin with no port after the colon", env{"ALLOWED_ORIGINS": "https://a.example:"}, nil, []string{"ALLOWED_ORIGINS"}},
	{"an origin that is not ASCII", env{"ALLOWED_ORIGINS": "https://exämple.com"}, nil, []string{"ALLOWED_ORIGINS"}},
	{"a provider without a model", env{"OPENAI_BASE_URL": "https://api.example.com/v1"}, nil, []string{"MODEL"}},
	{"a list of models with a gap", env{"OPENAI_API_KEY": "sk", "MODEL": "large,,small"}, nil, []string{"MODEL", "large,small"}},
	{"a list of models that ends with a comma", env{"OPENAI_API_KEY": "sk", "MODEL": "large, "}, nil, []string{"MODEL", "large,small"}},
	{"a model twice", env{"OPENAI_API_KEY": "sk", "MODEL": "large,small, large"}, nil, []string{"MODEL", `"large" occurs twice`}},
	{"a model over two lines", env{"OPENAI_API_KEY": "sk", "MODEL": "lar\nge"}, nil, []string{"MODEL", "printed"}},
	{"a model without a provider", nil, []string{"-model", "small"}, []string{"MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY"}},
	{"an unknown flag", nil, []string{"-port", "1"}, []string{"-port", "-h"}},
	{"a flag without a value", nil, []string{"-addr"}, []string{"-addr"}},
	{"an argument", nil, []string{"start"}, []string{`"start"`, "-h"}},
	{"a role without a token", nil, []string{"-role", "admin"}, []string{"-role", "-print-token"}},
	{"an unknown role", nil, []string{"-print-token", "ann", "-role", "owner"}, []string{"-role", "user or admin"}},
	{"a token for nobody", nil, []string{"-print-token", ""}, []string{"-print-token", "want a user's id"}},
}

// sharing are settings with a database that replicas share.
func sharing(url string, more env) env {
	return env{"DATABASE_URL": url, "API_KEY": apiKey, "API_SECRET": apiSecret, "MEMORY_KEY": strings.Repeat("m", 32)}.with(more)
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	for _, test := range badSettings {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			line := fails(t, folder, test.env, test.args...)
			for _, want := range test.want {
				require.Contains(t, line, want)
			}
			require.NotContains(t, line, "hunter2", "no password is shown")
			files, err := os.ReadDir(folder)
			require.NoError(t, err)
			require.Empty(t, files, "a bad setting creates nothing")
		})
	}
}

func TestHelp(t *testing.T) {
	t.Parallel()
	for _, ask := range []string{"-h", "-help", "--help"} {
		code, stdout, stderr := output(t, t.TempDir(), env{"API_SECRET": apiSecret, "API_KEY": apiKey, "DATA": "/secret"}, ask)
		require.Zero(t, code)
		require.Empty(t, stderr)
		for _, one := range everySetting {
			require.Regexp(t, `\b`+one.env+`\b`, stdout)
			require.True(t, one.flag == "" || regexp.MustCompile(`(?m)^  -`+one.flag+`\b`).MatchString(stdout), one.flag)
		}
		require.NotContains(t, stdout, apiSecret)
	}
	_, _, err := config.Parse(0, []string{"-h"}, env{}.lookup)
	require.ErrorIs(t, err, flag.ErrHelp)
}

func TestVersion(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../package.json")
	require.NoError(t, err)
	var manifest struct{ Version string }
	require.NoError(t, json.Unmarshal(text, &manifest))
	code, stdout, stderr := output(t, t.TempDir(), env{"API_KEY": "alone"}, "-version")
	require.Equal(t, []any{0, manifest.Version + "\n", ""}, []any{code, stdout, stderr})
}
