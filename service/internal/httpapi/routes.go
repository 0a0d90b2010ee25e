package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// serve answers an exchange, or returns the error to answer with.
type serve func(*exchange) error

// route is a method and a path. In the path, {name} stands for one segment, and {name...} at the
// end for all that follow.
type route struct {
	method   string
	path     string
	segments []string
	serve    serve
}

// addRoutes adds all routes except those of addStreams, addCalls, addMemories, addDocuments,
// addConsole and Demo. openapi.yaml describes all of them except files.
func (a *api) addRoutes() {
	a.add(http.MethodPost, "/chat/create", a.makes(a.limiters.chats, a.createChat))
	a.add(http.MethodGet, "/project/{project_id}/chat", a.withCaller(a.listChats))
	a.add(http.MethodGet, "/project/{project_id}/chat/{chat_id}/all", a.reads(a.chatHistory))
	a.add(http.MethodGet, "/project/{project_id}/chat/{chat_id}/message/{message_id}", a.withCaller(a.getMessage))
	a.add(http.MethodPost, "/chat/branch", a.writesOnce(a.selectBranch))
	a.add(http.MethodDelete, "/chat/delete", a.writes(a.deleteChat))
	a.add(http.MethodPost, "/chat/update/name", a.writes(a.renameChat))
	a.add(http.MethodPost, "/chat/message/user/feedback", a.writes(a.rateAnswer))
	a.add(http.MethodPost, "/v3/chat/message", a.withCaller(a.sendMessage))
	a.add(http.MethodGet, imagePath+"{image_id}", a.sendImage)
	a.add(http.MethodGet, "/project/{project_id}/agents", a.withCaller(a.listAgents))
	a.add(http.MethodPost, "/auth/token", a.mintToken)
	a.add(http.MethodGet, "/healthz", a.health)
	a.add(http.MethodGet, "/readyz", a.ready)
	a.add(http.MethodGet, "/metrics", a.metrics)
	a.add(http.MethodGet, "/openapi.yaml", a.openapi)
}

func (a *api) add(method, path string, serve serve) {
	a.routes = append(a.routes, route{method: method, path: path, segments: strings.Split(path, "/"), serve: serve})
}

// dispatch finds the route of an exchange and serves it. Paths are neither cleaned nor redirected.
func (a *api) dispatch(c *exchange) error {
	path := strings.Split(c.r.URL.EscapedPath(), "/")
	var allowed []string
	for _, route := range a.routes {
		values, ok := route.match(path)
		if !ok {
			continue
		}
		c.route = route.path
		if route.method == c.r.Method || route.method == http.MethodGet && c.r.Method == http.MethodHead {
			c.path = values
			return route.serve(c)
		}
		allowed = append(allowed, route.methods()...)
	}
	if allowed == nil {
		return errNoPath
	}
	slices.Sort(allowed)
	c.w.Header().Set("Allow", strings.Join(allowed, ", "))
	return &fault.Error{Code: wire.CodeMethodNotAllowed, Message: "This path takes " + strings.Join(allowed, ", ")}
}

var errNoPath = &fault.Error{Code: wire.CodeNotFound, Message: "There is nothing at this path"}

// methods returns the methods of the route: GET includes HEAD.
func (r route) methods() []string {
	if r.method == http.MethodGet {
		return []string{http.MethodGet, http.MethodHead}
	}
	return []string{r.method}
}

// match compares an escaped path with the route and returns the unescaped values of its
// variables.
func (r route) match(path []string) (map[string]string, bool) {
	values := map[string]string{}
	for i, segment := range r.segments {
		if i >= len(path) {
			return nil, false
		}
		name, variable := strings.CutPrefix(segment, "{")
		name = strings.TrimSuffix(name, "}")
		if rest, ok := strings.CutSuffix(name, "..."); ok {
			values[rest] = strings.Join(path[i:], "/")
			return values, true
		}
		value, err := url.PathUnescape(path[i])
		switch {
		case err != nil, !variable && value != segment, variable && value == "":
			return nil, false
		case variable:
			values[name] = value
		}
	}
	return values, len(path) == len(r.segments)
}
