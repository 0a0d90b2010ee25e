package test_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// servedPath is where CONSOLE=1 serves the console.
const servedPath = "/console/"

// token returns an access token for these services that expires at end.
func token(t *testing.T, user, role string, end time.Time) string {
	t.Helper()
	claims := jwt.MapClaims{"iss": test.APIKey, "sub": user, "aud": test.Project, "role": role, "iat": end.Add(-time.Hour).Unix(), "exp": end.Unix()}
	text, err := jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString([]byte(test.APISecret))
	require.NoError(t, err)
	return text
}

// adminToken returns an administrator's token for an hour.
func adminToken(t *testing.T, user string) string {
	return token(t, user, "admin", time.Now().Add(time.Hour))
}

// enter pastes a token and presses the button.
func enter(p *test.Page, token string) {
	p.Until(`find("#sign-in").checkVisibility()`)
	p.Do(`find("[name=token]").value = $1`, token)
	p.Click("#sign-in [type=submit]")
}

// openServed opens the console that CONSOLE=1 serves, and signs in.
func openServed(t *testing.T, service *test.Service, user, hash string) *test.Page {
	t.Helper()
	p := suite.Page(t, service.URL+servedPath+hash, inConsole)
	enter(p, adminToken(t, user))
	p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
	return p
}

func TestConsoleIsServedWithASignIn(t *testing.T) {
	t.Parallel()
	service, admin := remembering(t, "CONSOLE=1")
	tell(admin, 2, "ana", aboutAna)
	before := len(service.Calls())
	p := suite.Page(t, service.URL+servedPath, inConsole)
	p.Until(`find("#sign-in").checkVisibility()`)
	const landmarks = `return all("main").filter((main) => main.checkVisibility()).map(({ id }) => id)`
	require.Equal(t, []string{"sign-in"}, test.Eval[[]string](p, landmarks))
	enter(p, adminToken(t, "müller"))
	p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
	require.Equal(t, []string{"main"}, test.Eval[[]string](p, landmarks))
	p.Until(`all("#queue [data-state=open]").length === 2`)
	require.Equal(t, "müller", test.Eval[string](p, `return find("#who [data-part=user]").textContent`))
	require.Zero(t, test.Eval[int](p, `return all("a[href*=script-tag], .demo").filter((element) => element.checkVisibility()).length`), "nothing of the demo")

	// The token is only in memory.
	kept := test.Eval[string](p, `
		const kept = [location.href, document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), JSON.stringify(history.state)];
		for (const { name } of await indexedDB.databases()) kept.push(name);
		for (const name of await caches.keys()) kept.push(name);
		kept.push(...all("input, textarea").map((field) => field.value));
		return document.documentElement.outerHTML + kept.join("\n");`)
	require.NotContains(t, kept, strings.Split(adminToken(t, "müller"), ".")[0])
	for _, call := range service.Calls() {
		require.NotContains(t, call, "eyJ")
	}
	require.NotContains(t, strings.Join(service.Calls()[before:], " "), "demo/token", "it never requests a demo token")

	p.Reload()
	p.Until(`find("#sign-in").checkVisibility()`)
	require.True(t, test.Eval[bool](p, `return document.activeElement.name === "token" && !find("#main").checkVisibility()`), "a new document is signed out")
	enter(p, adminToken(t, "root"))
	p.Until(`all("#queue [data-state=open]").length === 2`)
	p.Click("#sign-out")
	service.Answered(t, servedPath+"settings.json", 3)
	p.Until(`find("#sign-in")?.checkVisibility() && all("#queue li").length === 0`)
	require.Empty(t, test.Eval[string](p, `return find("[name=token]").value + location.hash`))
}

// The program has the console inside: the working directory has no file of it.
func TestConsoleIsServedFromAnyDirectory(t *testing.T) {
	t.Parallel()
	service := suite.Anywhere(t, "CONSOLE=1", "PROJECT_ID="+test.Project)
	p := suite.Page(t, "http://"+service.Address+servedPath, inConsole)
	enter(p, adminToken(t, "root"))
	p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
}

func TestConsoleRefusesATokenPlainly(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, "CONSOLE=1")
	p := suite.Page(t, service.URL+servedPath, inConsole)
	for _, refused := range []struct{ name, token, want string }{
		{"nothing", " \n", "Paste a token first."},
		{"not a token", "hello", "does not accept this token"},
		{"with a wrong signature", adminToken(t, "root") + "x", "does not accept this token"},
		{"expired", token(t, "root", "admin", time.Now().Add(-time.Hour)), "This token has expired"},
		{"a user's", token(t, "ana", "user", time.Now().Add(time.Hour)), "the console is for administrators"},
	} {
		enter(p, refused.token)
		p.Until(`find("#token-error").textContent.includes($1)`, refused.want)
		require.True(t, test.Eval[bool](p, `
			return document.activeElement.name === "token" && find("[name=token]").ariaInvalid === "true" && !find("#main").checkVisibility()`), refused.name)
	}
	p.Do(`globalThis.isAway = true`)
	enter(p, adminToken(t, "root"))
	p.Until(`find("#token-error").textContent === "The service does not answer."`)
	p.Do(`globalThis.isAway = false; find("[name=token]").focus()`)
	p.Type("\r") // Enter
	p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
	require.Equal(t, "1", test.Eval[string](p, `return String(all("#agent option").length)`), "what was pasted can be sent again")
}

// When a token expires during a review, the reviewer returns to the sign-in.
func TestConsoleWhenTheTokenExpires(t *testing.T) {
	t.Parallel()
	service, _ := remembering(t, "CONSOLE=1")
	p := openServed(t, service, "root", "#assistant/settings")
	service.Handle("GET /agents/assistant/memory-stats", func(w http.ResponseWriter, _ *http.Request) {
		test.Reply(w, http.StatusUnauthorized, "application/json", `{"status_code":401,"error":{"code":"TOKEN_EXPIRED","message":"The token has expired"}}`)
	})
	p.Until(`find("#sign-in").checkVisibility() && find("#token-error").textContent.includes("Your token has expired")`)
	require.False(t, test.Eval[bool](p, `return find("#main").checkVisibility()`))
}

// The page for a separate origin is the same build, with two settings.
func TestConsoleOnAnotherOrigin(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "a page of another origin needs no worker")
	folder := t.TempDir()
	pages := httptest.NewServer(http.FileServer(http.Dir(folder)))
	t.Cleanup(pages.Close)
	service := suite.Service(t, "ALLOWED_ORIGINS="+pages.URL)
	stranger := suite.Service(t)
	for _, to := range []*test.Service{service, stranger} {
		build := exec.Command("node", "js/build/console.mjs", ".build/console.js", folder)
		build.Dir = suite.Root
		build.Env = append(os.Environ(), "PROJECT="+test.Project, "SERVICE="+to.URL)
		output, err := build.CombinedOutput()
		require.NoError(t, err, "%s", output)
		p := suite.Page(t, pages.URL+"/", inConsole)
		if to == stranger {
			p.Until(`find("#sign-in").checkVisibility()`)
			p.ExpectOfBrowser("has been blocked by CORS policy")
			enter(p, adminToken(t, "root"))
			p.Until(`find("#token-error").textContent.includes("its ALLOWED_ORIGINS do not include " + location.origin)`)
			continue
		}
		enter(p, adminToken(t, "root"))
		p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
		require.Positive(t, service.Count("/agents/assistant/memory-stats"))
	}
}

// If the build names no project, the person who signs in does.
func TestConsoleAsksForTheProject(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, "CONSOLE=1")
	service.Handle("GET /console/settings.json", func(w http.ResponseWriter, _ *http.Request) { test.Reply(w, 200, "application/json", `{}`) })
	p := suite.Page(t, service.URL+servedPath, inConsole)
	p.Until(`find("[name=project]").checkVisibility() && document.activeElement === find("[name=project]")`)
	p.Type("another")
	enter(p, adminToken(t, "root"))
	p.Until(`find("#token-error").textContent !== ""`)
	p.Do(`find("[name=project]").value = "demo"`)
	enter(p, adminToken(t, "root"))
	p.Until(`find("#main[aria-busy=false]")?.checkVisibility()`)
}
