package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Routes are the routes of what New or Demo returned, each as METHOD PATH.
func Routes(handler http.Handler) []string {
	var list []string
	for _, route := range handler.(*api).routes {
		list = append(list, route.method+" "+route.path)
	}
	return list
}

// BodyOf is the body of an error for a call to a path with these values.
func BodyOf(err error, path map[string]string) wire.ErrorBody {
	return bodyOf((&exchange{path: path}).told(err))
}
