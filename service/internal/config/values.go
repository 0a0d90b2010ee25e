package config

import (
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// value is a flag.Value that stores what it is given. Its error says what is expected.
type value func(text string) error

// Set implements flag.Value.
func (v value) Set(text string) error { return v(text) }

// String implements flag.Value. The usage text has the defaults.
func (value) String() string { return "" }

// onOff is a value whose flag may be used without a value.
type onOff struct{ value }

// IsBoolFlag implements the optional interface of package flag for such flags.
func (onOff) IsBoolFlag() bool { return true }

var _ flag.Value = onOff{}

func text(to *string) value {
	return func(text string) error {
		*to = text
		return nil
	}
}

// some is a string that can't be empty.
func some(to *string, what string) value {
	return func(text string) error {
		if text == "" {
			return fmt.Errorf("want %s", what)
		}
		*to = text
		return nil
	}
}

// modelNames is the model that is asked, and after it, with commas between, others that may be.
func modelNames(first *string, others *[]string) value {
	return func(text string) error {
		if text == "" { // a flag takes back the variable
			*first, *others = "", nil
			return nil
		}
		var names []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); name == "" {
				return errors.New("want a model, or several with a comma between each two, such as large,small")
			}
			if err := addModel(&names, name); err != nil {
				return err
			}
		}
		*first, *others = names[0], names[1:len(names):len(names)]
		return nil
	}
}

// addModel adds a name to a list of models.
func addModel(names *[]string, name string) error {
	if err := checkModelName(name); err != nil {
		return err
	}
	if slices.Contains(*names, name) {
		return fmt.Errorf("the model %q occurs twice", name)
	}
	*names = append(*names, name)
	return nil
}

func checkModelName(name string) error {
	switch {
	case name == "" || strings.TrimSpace(name) != name:
		return fmt.Errorf("the model is %q, want its name at its provider", name)
	case strings.ContainsFunc(name, unicode.IsControl):
		return fmt.Errorf("the model %q has a character that cannot be printed", name)
	}
	return nil
}

func address(to *string) value {
	return func(text string) error {
		_, port, err := net.SplitHostPort(text)
		if _, portErr := strconv.ParseUint(port, 10, 16); err != nil || portErr != nil {
			return errors.New("want HOST:PORT such as 127.0.0.1:8080")
		}
		*to = text
		return nil
	}
}

func boolean(to *bool) value {
	return func(text string) error {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return errors.New("want true or false")
		}
		*to = on
		return nil
	}
}

func count[N int | int64](to *N) value {
	return func(text string) error {
		number, err := strconv.ParseUint(text, 10, 31)
		if err != nil {
			return fmt.Errorf("want a whole number from 0 to %d", 1<<31-1)
		}
		*to = N(number)
		return nil
	}
}

// within is a whole number within a range.
func within(to *int, least, most int) value {
	return func(text string) error {
		number, err := strconv.Atoi(text)
		if err != nil || number < least || number > most {
			return fmt.Errorf("want a whole number from %d to %d", least, most)
		}
		*to = number
		return nil
	}
}

// size is a number of bytes, which may be larger than a count.
func size(to *int64) value {
	return func(text string) error {
		number, err := strconv.ParseUint(text, 10, 63)
		if err != nil {
			return errors.New("want a whole number of bytes, 0 or more")
		}
		*to = int64(number)
		return nil
	}
}

func duration(to *time.Duration, least, most time.Duration) value {
	return func(text string) error {
		given, err := time.ParseDuration(text)
		if err != nil || given < least || given > most {
			return fmt.Errorf("want a duration from %v to %v such as 5s", least, most)
		}
		*to = given
		return nil
	}
}

func oneOf(to *string, values ...string) value {
	return func(text string) error {
		if !slices.Contains(values, text) {
			return fmt.Errorf("want %s", strings.Join(values, " or "))
		}
		*to = text
		return nil
	}
}

func origins(to *[]string) value {
	return func(text string) error {
		var list []string
		for origin := range strings.SplitSeq(text, ",") {
			origin = strings.TrimSpace(origin)
			switch {
			case origin == "":
				continue
			case strings.Contains(origin, "*") && !isAnyPort(origin):
				return fmt.Errorf("%q: * may only stand for the port of localhost, 127.0.0.1 or [::1], as in http://localhost:* or https://localhost:*", origin)
			case !strings.Contains(origin, "*") && isOrigin(withoutPort(origin)) && !isOrigin(origin):
				return fmt.Errorf("%q has a port that a browser does not write, want 1 to 65535 without zeros in front, and none if it is 80 of http or 443 of https", origin)
			case !strings.Contains(origin, "*") && !isOrigin(origin):
				return fmt.Errorf("%q is not how a browser writes an origin, want for example https://app.example.com", origin)
			}
			list = append(list, origin)
		}
		*to = list
		return nil
	}
}

// headerNames takes names of headers (RFC 9110, section 5.1) with commas between. A * is none: browsers don't take it for all headers.
func headerNames(to *[]string) value {
	return func(text string) error {
		var list []string
		for name := range strings.SplitSeq(text, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "" {
				continue
			}
			if !isHeaderName(name) {
				return fmt.Errorf("%q is not the name of a header, want for example x-tenant", name)
			}
			list = append(list, name)
		}
		*to = list
		return nil
	}
}

var isHeaderName = regexp.MustCompile(`^[a-z0-9!#$%&'+.^_|~-]{1,100}$`).MatchString

// isAnyPort reports whether the text stands for all ports of this machine, as in httpapi.Config:
// dev servers of bundlers take the next free one.
func isAnyPort(text string) bool {
	origin, found := strings.CutSuffix(text, ":*")
	scheme, host, _ := strings.Cut(origin, "://")
	return found && defaultPorts[scheme] != "" && slices.Contains([]string{"localhost", "127.0.0.1", "[::1]"}, host)
}

// defaultPorts are the ports that browsers leave out of an origin.
var defaultPorts = map[string]string{"http": "80", "https": "443"}

// isOrigin reports whether a browser could send the text as an origin (RFC 6454, section 6.2).
// Listing anything else would have no effect.
func isOrigin(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || text != u.Scheme+"://"+strings.ToLower(u.Host) {
		return false
	}
	isASCII := !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
	return isASCII && !strings.HasSuffix(u.Host, ":") && (u.Port() == "" || isPort(u.Port()) && u.Port() != defaultPorts[u.Scheme])
}

// withoutPort cuts the port off an origin.
func withoutPort(origin string) string {
	if at := strings.LastIndexByte(origin, ':'); at > strings.Index(origin, "://") && strings.Trim(origin[at+1:], "0123456789") == "" {
		return origin[:at]
	}
	return origin
}

// isPort reports whether the text is a port as a browser writes it: 1 to 65535, without zeros in front.
func isPort(text string) bool {
	port, err := strconv.ParseUint(text, 10, 16)
	return err == nil && port > 0 && strconv.FormatUint(port, 10) == text
}
