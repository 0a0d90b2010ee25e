package httpapi

import "net/http"

// Routes are the routes of what New or Demo returned, each as METHOD PATH.
func Routes(handler http.Handler) []string {
	var list []string
	for _, route := range handler.(*api).routes {
		list = append(list, route.method+" "+route.path)
	}
	return list
}
