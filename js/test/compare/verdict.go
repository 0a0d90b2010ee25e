package main

import "strings"

// run is the result of a client with a fault.
type run struct {
	Outcome string `json:"outcome"` // success, error or hangs
	Error   string `json:"error"`   // its name
	Shown   string `json:"shown"`

	sends int
	keyed bool
}

func (r run) whole() bool { return r.Outcome == "success" && r.Shown == strings.Join(words, "") }

// verdict returns the result in a few words.
func (r run) verdict(f faultRow) string {
	switch {
	case r.whole() && f.way != "" && f.afterWords > 0:
		return "resumed, whole"
	case r.whole() && f.refuse == 401:
		return "refreshed, sent again"
	case r.whole() && r.sends > 1 && r.keyed:
		return "sent again, same key"
	case r.whole() && r.sends > 1:
		return "sent again, no key"
	case r.whole():
		return "whole"
	case r.Outcome == "success" && len(r.Shown) > len(strings.Join(words, "")):
		return "**“success”, doubled**"
	case r.Outcome == "success":
		return "**“success”, cut**"
	case r.Outcome == "hangs":
		return "**hangs**"
	case r.Shown != "":
		return r.Error + ", part shown"
	case r.sends > 1:
		return r.Error + " after sending again"
	}
	return "gives up (" + r.Error + ")"
}
