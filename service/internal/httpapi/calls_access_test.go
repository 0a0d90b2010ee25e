package httpapi_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/golang-jwt/jwt/v5"
	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
)

// standing is a column of the access table of calls: what a caller gets for Ann's call, and for a
// call in a chat without a user.
type standing struct {
	name string
	as   headers
	// user is for calls whose approval is user or never, admin for those whose is admin.
	user, admin     rights
	nobody, nobodys rights
}

// rights are the statuses for one kind of call.
type rights struct{ see, approve, deny, carryOut int }

var (
	all       = rights{200, 200, 200, 200}
	none      = rights{404, 404, 404, 404}
	noBearer  = rights{401, 401, 401, 401}
	decides   = rights{200, 200, 200, 404} // an administrator
	withdraws = rights{200, 403, 200, 200} // the chat's user where an administrator decides
)

// standings are the columns. Ann also appears without a right to the agent, and with an
// expired token: owning the chat is not enough.
func standings(t *testing.T) []standing {
	admin := func(claims jwt.MapClaims) headers {
		claims["role"] = "admin"
		return sign(t, claims)
	}
	return []standing{
		{"no credentials", headers{}, noBearer, noBearer, noBearer, noBearer},
		{"an expired token", sign(t, jwt.MapClaims{"iat": noon.Unix() - 3600, "exp": noon.Unix() - 61}), noBearer, noBearer, noBearer, noBearer},
		{"the chat's user", sign(t, nil), all, withdraws, none, none},
		{"another user", sign(t, jwt.MapClaims{"sub": "bob"}), none, none, none, none},
		{"the chat's user without this agent", sign(t, jwt.MapClaims{"agents": []string{"clerk"}}), none, none, none, none},
		{"another user without an agent", sign(t, jwt.MapClaims{"sub": "bob", "agents": []string{}}), none, none, none, none},
		{"administrator of this agent", admin(jwt.MapClaims{"sub": "root", "agents": []string{"assistant"}}), none, decides, none, decides},
		{"administrator of every agent", admin(jwt.MapClaims{"sub": "root"}), none, decides, none, decides},
		{"administrator of another", admin(jwt.MapClaims{"sub": "root", "agents": []string{"clerk"}}), none, none, none, none},
		{"the chat's user, an administrator", admin(jwt.MapClaims{}), all, all, none, decides},
		{"the chat's user, an administrator of another", admin(jwt.MapClaims{"agents": []string{"clerk"}}), none, none, none, none},
		{"API key", asServer(), rights{200, 403, 403, 403}, rights{200, 200, 200, 403}, all, all},
		{"API key for the chat's user", as("ann"), all, withdraws, none, none},
		{"API key for another", as("bob"), none, none, none, none},
	}
}

// attempts are the rows: the state of a call, the request, and which of the rights gives the
// result.
var attempts = []struct {
	name, method, path, body string
	until                    string // the status of the call before the request
	want                     func(rights) int
}{
	{"see", "GET", "", "", wire.CallAwaiting, func(r rights) int { return r.see }},
	{"see, HEAD", "HEAD", "", "", wire.CallAwaiting, func(r rights) int { return r.see }},
	{"approve", "POST", "/decision", approve, wire.CallAwaiting, func(r rights) int { return r.approve }},
	{"approve other arguments", "POST", "/decision", `{"action":"approve","arguments":"{\"n\":9}"}`, wire.CallAwaiting, func(r rights) int { return r.approve }},
	{"deny", "POST", "/decision", deny, wire.CallAwaiting, func(r rights) int { return r.deny }},
	{"claim", "POST", "/claim", `{"claim":"` + oneClaim + `","definition":DEFINITION}`, wire.CallApproved, func(r rights) int { return r.carryOut }},
	{"renew", "POST", "/claim", `{"claim":"` + oneClaim + `","definition":DEFINITION}`, wire.CallRunning, func(r rights) int { return r.carryOut }},
	{"result", "POST", "/result", `{"claim":"` + oneClaim + `","result":"red"}`, wire.CallRunning, func(r rights) int { return r.carryOut }},
	{"error", "POST", "/result", `{"claim":"` + oneClaim + `","error":"no"}`, wire.CallRunning, func(r rights) int { return r.carryOut }},
}

// decisive returns who may approve a call with this approval in a chat of this owner.
func decisive(owner headers, approval string) headers {
	if approval == wire.ApprovalAdmin {
		return asServer()
	}
	return owner
}

// callUntil makes a call in a chat of this owner, and brings it to a status.
func (s *service) callUntil(owner headers, approval, until string) string {
	s.t.Helper()
	_, call := s.waits(owner, painter(approval)...)
	if until != wire.CallAwaiting && approval != wire.ApprovalNever {
		changed(s.t, s.decideCall(decisive(owner, approval), call.ID, approve))
	}
	if until == wire.CallRunning {
		changed(s.t, s.claim(owner, call.ID, oneClaim, painted(approval)))
	}
	return call.ID
}

// stored returns a call as the database has it, with its chat and the number of events of its answer.
func (s *service) stored(callID string) string {
	s.t.Helper()
	call, err := s.store.Call(context.Background(), project, callID)
	require.NoError(s.t, err)
	events, err := s.store.Events(context.Background(), call.StreamID, 0, 100)
	require.NoError(s.t, err)
	history, err := s.store.ChatHistory(context.Background(), access.Scope{ProjectID: project}, call.ChatID)
	require.NoError(s.t, err)
	return fmt.Sprintf("%+v, %d events, %+v", call, len(events), history)
}

func TestWhoMayDoWhatWithCalls(t *testing.T) {
	t.Parallel()
	for _, caller := range standings(t) {
		t.Run(caller.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, with(calling("paint", red)))
			for _, approval := range []string{wire.ApprovalUser, wire.ApprovalAdmin, wire.ApprovalNever} {
				hers, nobodys := caller.user, caller.nobody
				if approval == wire.ApprovalAdmin {
					hers, nobodys = caller.admin, caller.nobodys
				}
				s.tryAll(caller, as("ann"), approval, hers)
				s.tryAll(caller, asServer(), approval, nobodys)
			}
		})
	}
}

// tryAll tries every row on calls with this approval in chats of this owner.
func (s *service) tryAll(caller standing, owner headers, approval string, may rights) {
	s.t.Helper()
	left := map[string]string{} // calls by their status
	for _, row := range attempts {
		what := fmt.Sprintf("%s a call of %v with approval %s", row.name, owner["x-user-id"], approval)
		if left[row.until] == "" {
			left[row.until] = s.callUntil(owner, approval, row.until)
		}
		callID := left[row.until]
		before := s.stored(callID)
		ask := func(id string) (int, string) {
			body := strings.Replace(row.body, "DEFINITION", painted(approval), 1)
			w := s.do(row.method, "/tool-calls/"+id+row.path, caller.as.json(), body)
			return w.Code, whole(w)
		}
		want := row.want(may)
		if approval == wire.ApprovalNever && row.path == "/decision" && want == 200 {
			want = 409 // nobody can decide it
		}
		status, got := ask(callID)
		require.Equal(s.t, want, status, "%s: %s", what, got)
		if status == 200 {
			delete(left, row.until)
			continue
		}
		require.Equal(s.t, before, s.stored(callID), "%s: nothing has changed", what)
		if status == 404 || status == 401 {
			_, unknown := ask("call_x")
			require.Equal(s.t, unknown, got, "%s: as if it did not exist", what)
		}
	}
}

// If a caller gets a list, it has exactly what they may see.
func TestWhoSeesWhichCalls(t *testing.T) {
	t.Parallel()
	s := start(t, with(calling("paint", red)))
	calls := map[string]wire.ToolCall{}
	for _, owner := range []string{"ann", "bob", ""} {
		h := as(owner)
		if owner == "" {
			h = asServer()
		}
		for _, approval := range []string{wire.ApprovalUser, wire.ApprovalAdmin, wire.ApprovalNever} {
			_, calls[owner+" "+approval] = s.waits(h, painter(approval)...)
		}
		_, calls[owner+" clerk"] = s.waits(h, append(painter(wire.ApprovalAdmin), field{name: "agent_id", value: "clerk"})...)
	}
	admins := []string{"ann admin", "bob admin", " admin"}
	clerks := []string{"ann clerk", "bob clerk", " clerk"}
	anns := []string{"ann user", "ann admin", "ann never", "ann clerk"}
	bobs := []string{"bob user", "bob admin", "bob never", "bob clerk"}
	everyones := slices.Concat(anns, bobs, []string{" user", " admin", " never", " clerk"})
	want := map[string][]string{
		"the chat's user": anns, "another user": bobs, "the chat's user without this agent": {"ann clerk"}, "another user without an agent": nil,
		"administrator of this agent": admins, "administrator of every agent": slices.Concat(admins, clerks), "administrator of another": clerks,
		"the chat's user, an administrator":            {"ann user", "ann never", "ann admin", "bob admin", " admin", "ann clerk", "bob clerk", " clerk"},
		"the chat's user, an administrator of another": clerks,
		"API key": everyones, "API key for the chat's user": anns, "API key for another": bobs,
	}
	for _, caller := range standings(t)[2:] {
		names, listed := want[caller.name]
		require.True(t, listed, caller.name)
		var ids []string
		for _, name := range names {
			ids = append(ids, calls[name].ID)
		}
		require.ElementsMatch(t, ids, s.listsCalls(caller.as, ""), caller.name)
		for _, hers := range []string{"ann user", "ann admin"} {
			query := "?status=" + calls[hers].Status + "&chat_id=" + calls[hers].ChatID + "&message_id=" + calls[hers].MessageID
			var one []string
			if slices.Contains(names, hers) {
				one = []string{calls[hers].ID}
			}
			require.Equal(t, one, s.listsCalls(caller.as, query), "%s: %s", caller.name, hers)
		}
	}
}

// listsCalls returns the ids of the calls that a caller lists.
func (s *service) listsCalls(h headers, query string) (ids []string) {
	s.t.Helper()
	w := s.do("GET", "/tool-calls"+query, h, "")
	require.Equal(s.t, 200, w.Code, w.Body)
	for _, call := range decode[wire.ListToolCallsResponse](s.t, w).ToolCalls {
		ids = append(ids, call.ID)
	}
	return ids
}
