package main_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/config"
)

// printToken runs -print-token.
func printToken(t *testing.T, folder string, e env, args ...string) string {
	t.Helper()
	code, stdout, stderr := output(t, folder, e, append([]string{"-print-token", ann}, args...)...)
	require.Equal(t, []any{0, ""}, []any{code, stderr})
	require.Regexp(t, `\A[^\s]+\n\z`, stdout, "one line")
	return strings.TrimSpace(stdout)
}

// kept are the credentials in the data folder.
func kept(t *testing.T, folder string) (key, secret string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "data", "credentials"))
	require.NoError(t, err)
	found := regexp.MustCompile(`\AAPI_KEY=(key_[A-Z2-7]{26})\nAPI_SECRET=([A-Z2-7]{52})\n\z`).FindSubmatch(text)
	require.NotNil(t, found)
	return string(found[1]), string(found[2])
}

// claims verifies a token as any holder of the secret would.
func claims(t *testing.T, token, secret string) jwt.MapClaims {
	t.Helper()
	parsed, err := jwt.Parse(token, func(*jwt.Token) (any, error) { return []byte(secret), nil },
		jwt.WithValidMethods([]string{"HS256"}), jwt.WithExpirationRequired(), jwt.WithIssuedAt())
	require.NoError(t, err)
	return parsed.Claims.(jwt.MapClaims)
}

func TestCredentialsAreMadeOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	none := env{"API_KEY": "", "API_SECRET": ""}
	startIn(t, folder, none).stop()
	key, secret := kept(t, folder)
	for name, mode := range map[string]fs.FileMode{
		"data": 0o700 | fs.ModeDir, "data/credentials": 0o600, "data/chatsdk.db": 0o600, "data/lock": 0o600,
	} {
		info, err := os.Stat(filepath.Join(folder, name))
		require.NoError(t, err)
		require.Equal(t, mode, info.Mode(), name)
	}
	p := startIn(t, folder, none)
	again, same := kept(t, folder)
	require.Equal(t, []string{key, secret}, []string{again, same})
	byKey := http.Header{"X-Api-Key": {key}, "X-Api-Secret": {secret}}
	require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/project/demo/chat", byKey, "").status)
	require.NotContains(t, p.stderr.String(), secret)
	left, err := filepath.Glob(filepath.Join(folder, "data", ".credentials-*"))
	require.NoError(t, err)
	require.Empty(t, left)

	startIn(t, t.TempDir(), none).stop()
	other := t.TempDir()
	printToken(t, other, none)
	_, another := kept(t, other)
	require.NotEqual(t, secret, another)
}

func TestPrintToken(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	before := printToken(t, folder, nil) // makes the credentials
	key, secret := kept(t, folder)
	p := startIn(t, folder, env{"API_KEY": "", "API_SECRET": ""})
	during := printToken(t, folder, nil, "-role", "admin")
	for token, role := range map[string]any{before: nil, during: wire.RoleAdmin} {
		got := claims(t, token, secret)
		require.Equal(t, []any{key, ann, "demo", role}, []any{got["iss"], got["sub"], got["aud"], got["role"]})
		require.InDelta(t, 3600, got["exp"].(float64)-got["iat"].(float64), 0)
		require.WithinDuration(t, time.Now(), time.Unix(int64(got["iat"].(float64)), 0), time.Minute)
		bearer := http.Header{"Authorization": {"Bearer " + token}, "X-Api-Key": nil, "X-Api-Secret": nil, "X-User-Id": nil}
		require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/project/demo/agents", bearer, "").status)
	}
}

func TestPrintTokenWithGivenCredentials(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	token := printToken(t, folder, env{"API_KEY": "k", "API_SECRET": apiSecret + "," + strings.Repeat("o", 32)}, "-project", "p")
	got := claims(t, token, apiSecret)
	require.Equal(t, []any{"k", "p"}, []any{got["iss"], got["aud"]})
	files, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, files, "given credentials need no folder")
}

func TestPrintTokenFails(t *testing.T) {
	t.Parallel()
	for _, user := range []string{".", "..", "a\xff"} {
		line := fails(t, t.TempDir(), keyed(), "-print-token", user)
		require.Contains(t, line, "-print-token")
		require.Contains(t, line, "user_id")
	}
}

// The first process makes the credentials, and all processes use them.
func TestFirstStartsRace(t *testing.T) {
	t.Parallel()
	for range 30 {
		s := &config.Settings{Data: filepath.Join(t.TempDir(), "data")}
		got := make([]string, 8)
		begin := make(chan struct{})
		var all sync.WaitGroup
		for i := range got {
			all.Go(func() {
				<-begin
				key, secret, err := config.Credentials(s)
				got[i] = fmt.Sprint(key, secret, err)
			})
		}
		close(begin)
		all.Wait()
		key, secret, err := config.Credentials(s)
		require.NoError(t, err)
		for _, one := range got {
			require.Equal(t, fmt.Sprint(key, secret, nil), one)
		}
		files, err := os.ReadDir(s.Data)
		require.NoError(t, err)
		require.Len(t, files, 1)
	}
}

func TestTwoSecrets(t *testing.T) {
	t.Parallel()
	older := strings.Repeat("o", 32)
	p := start(t, env{"API_SECRET": apiSecret + "," + older})
	for _, secret := range []string{apiSecret, older} {
		require.Equal(t, http.StatusOK, p.do(http.MethodGet, "/project/demo/chat", http.Header{"X-Api-Secret": {secret}}, "").status)
	}
	both := http.Header{"X-Api-Secret": {apiSecret + "," + older}}
	requireError(t, p.do(http.MethodGet, "/project/demo/chat", both, ""), http.StatusUnauthorized, wire.CodeAuthentication)

	minted := decode[wire.AccessTokenResponse](t, p.do(http.MethodPost, "/auth/token",
		http.Header{"Content-Type": {"application/json"}, "X-User-Id": nil}, `{"user_id":"bob"}`), http.StatusOK)
	claims(t, minted.AccessToken, apiSecret)
}

func TestBadSecrets(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, secret, want string }{
		{"a byte short", strings.Repeat("x", 31), "31 bytes, want 32 or more"},
		{"the second one short", apiSecret + ",short", "5 bytes, want 32 or more"},
		{"no second one", apiSecret + ",", "0 bytes"},
		{"three", strings.Repeat("x", 32) + "," + strings.Repeat("y", 32) + "," + strings.Repeat("z", 32), "3 secrets"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			for _, args := range [][]string{nil, {"-print-token", ann}} {
				line := fails(t, t.TempDir(), env{"API_KEY": apiKey, "API_SECRET": test.secret, "ADDR": "127.0.0.1:0"}, args...)
				require.Contains(t, line, "API_SECRET")
				require.Contains(t, line, test.want)
				require.NotContains(t, line, test.secret)
			}
		})
	}
	start(t, env{"API_SECRET": strings.Repeat("é", 16)}) // 32 bytes
}

func TestBadCredentialsFile(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"empty": "", "no secret": "API_KEY=key_1\n", "no key": "API_SECRET=" + apiSecret, "something else": "\x00\xff" + apiSecret,
		"a short secret": "API_KEY=k\nAPI_SECRET=short\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			path := filepath.Join(folder, "data", "credentials")
			require.NoError(t, os.Mkdir(filepath.Dir(path), 0o700))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
			line := fails(t, folder, env{"ADDR": "127.0.0.1:0"})
			require.Contains(t, line, "API_SECRET")
			kept, err := os.ReadFile(path)
			require.NoError(t, err)
			require.Equal(t, text, string(kept), "it is unchanged")
		})
	}
	folder := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(folder, "data", "credentials"), 0o700))
	require.Contains(t, fails(t, folder, nil, "-print-token", ann), "credentials")
}

// The service does not start with a secret that other users of the machine can read.
func TestSecretsThatOthersCanRead(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no file modes")
	}
	none := env{"API_KEY": "", "API_SECRET": "", "ADDR": "127.0.0.1:0"}
	for _, name := range []string{"credentials", "memory-key"} {
		for _, mode := range []fs.FileMode{0o644, 0o640, 0o604, 0o620, 0o602, 0o610} {
			t.Run(fmt.Sprintf("%s with mode %04o", name, mode), func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				startIn(t, folder, none).stop()
				path := filepath.Join(folder, "data", name)
				before, err := os.ReadFile(path)
				require.NoError(t, err)
				require.NoError(t, os.Chmod(path, mode))
				line := fails(t, folder, none)
				require.Contains(t, line, fmt.Sprintf(`data/%s is open to users other than its owner (mode %04o); run chmod 600 "data/%s"`, name, mode, name))
				require.NotContains(t, line, strings.TrimSpace(string(before)))
				if name == "credentials" {
					require.Contains(t, fails(t, folder, none, "-print-token", ann), "chmod 600")
				}
				require.NoError(t, os.Chmod(path, 0o600))
				startIn(t, folder, none).stop()
				after, err := os.ReadFile(path)
				require.NoError(t, err)
				require.Equal(t, before, after, "it is unchanged")
			})
		}
	}
}

// For a bundler's dev server: a page of another origin, with a token.
func TestTheDevServerOfTheGuide(t *testing.T) {
	t.Parallel()
	commands := regexp.MustCompile(`(?m)^ALLOWED_ORIGINS=(\S+) make demo\ngo run \./service (-print-token) (\S+) `).
		FindStringSubmatch(guide(t, "deploying.md"))
	require.NotNil(t, commands)
	folder, none := t.TempDir(), env{"API_KEY": "", "API_SECRET": ""}
	p := startIn(t, folder, none.with(env{"ALLOWED_ORIGINS": commands[1]}))
	code, token, _ := output(t, folder, none, commands[2:]...)
	require.Zero(t, code)
	require.True(t, strings.HasSuffix(commands[1], ":*"))
	origin := strings.Replace(commands[1], "*", "5173", 1)
	page := http.Header{
		"Origin": {origin}, "Authorization": {"Bearer " + strings.TrimSpace(token)},
		"X-Api-Key": nil, "X-Api-Secret": nil, "X-User-Id": nil,
	}
	chats := p.do(http.MethodGet, "/project/demo/chat", page, "")
	require.Equal(t, http.StatusOK, chats.status)
	require.Equal(t, origin, chats.header.Get("Access-Control-Allow-Origin"))
}
