// Package websearch searches the web through Google's Programmable Search Engine. Begin with New.
//
// It uses the Custom Search JSON API, v1, which has the key in the address. That is why no error
// of this package holds an address.
package websearch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chatsdk/chatsdk/service/internal/answering"
)

const (
	// DefaultBaseURL is Google's address.
	DefaultBaseURL = "https://www.googleapis.com"
	// DefaultTimeout is how long a search may take.
	DefaultTimeout = 10 * time.Second

	path = "/customsearch/v1"
	// pages is how many results are requested; the API returns ten at most.
	pages         = 5
	responseBytes = 1 << 20
	// Google ignores everything after 32 words.
	queryWords      = 32
	queryCharacters = 512
	// A page can describe itself at any length.
	titleCharacters   = 200
	snippetCharacters = 500
	addressBytes      = 2000
)

// Config says which search engine to use and how.
type Config struct {
	// Key and EngineID come from Google; its API calls the latter cx.
	Key, EngineID string
	// BaseURL is the address of the API; empty means DefaultBaseURL.
	BaseURL string
	// Timeout is how long a search may take; 0 means DefaultTimeout.
	Timeout time.Duration
}

// Google is a answering.Searcher. It is safe for concurrent use.
type Google struct {
	config Config
	client *http.Client
}

var _ answering.Searcher = (*Google)(nil)

// New makes a Google and sends nothing yet. The caller calls Close. An error names the wrong
// field of config.
func New(config Config) (*Google, error) {
	if config.BaseURL == "" {
		config.BaseURL = DefaultBaseURL
	}
	if config.Timeout == 0 {
		config.Timeout = DefaultTimeout
	}
	u, err := url.Parse(config.BaseURL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return nil, errors.New("the base URL is not an address such as " + DefaultBaseURL)
	}
	return &Google{config, &http.Client{
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, IdleConnTimeout: 90 * time.Second},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // the key must not go elsewhere
		Timeout:       config.Timeout,
	}}, nil
}

// Close closes idle connections.
func (g *Google) Close() { g.client.CloseIdleConnections() }

// Search implements answering.Searcher. It sends one request: a quota that is used up is still used up
// a second later, and somebody is waiting.
func (g *Google) Search(ctx context.Context, query string) ([]answering.Result, error) {
	query = shortened(query)
	if query == "" {
		return nil, nil
	}
	values := url.Values{"key": {g.config.Key}, "cx": {g.config.EngineID}, "q": {query}, "num": {strconv.Itoa(pages)}}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, strings.TrimSuffix(g.config.BaseURL, "/")+path+"?"+values.Encode(), nil)
	if err != nil {
		return nil, errors.New("websearch: no request can be made for the address")
	}
	response, err := g.client.Do(request)
	if err != nil {
		return nil, unreached(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, responseBytes+1))
	switch {
	case response.StatusCode != http.StatusOK:
		return nil, refused(response.StatusCode, body)
	case err != nil:
		return nil, unreached(err)
	case len(body) > responseBytes:
		return nil, fmt.Errorf("websearch: the response is longer than %d bytes", responseBytes)
	}
	return results(body)
}

// shortened puts a query on one line, and cuts what Google would ignore.
func shortened(query string) string {
	words := strings.Fields(query)
	return cut(strings.Join(words[:min(len(words), queryWords)], " "), queryCharacters)
}

func cut(text string, characters int) string {
	if all := []rune(text); len(all) > characters {
		return strings.TrimSpace(string(all[:characters]))
	}
	return text
}

// results reads a response. It leaves out pages whose address is not http or https.
func results(body []byte) ([]answering.Result, error) {
	var told struct {
		Items []struct{ Title, Link, Snippet string }
	}
	if err := json.Unmarshal(body, &told); err != nil {
		return nil, errors.New("websearch: the response is not a JSON object with items")
	}
	var all []answering.Result
	for _, item := range told.Items {
		address, err := url.Parse(item.Link)
		if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" || len(item.Link) > addressBytes {
			continue
		}
		all = append(all, answering.Result{Title: line(item.Title, titleCharacters), URL: item.Link, Snippet: line(item.Snippet, snippetCharacters)})
		if len(all) == pages {
			break
		}
	}
	return all, nil
}

// line puts a text on one line.
func line(text string, characters int) string {
	return cut(strings.Join(strings.Fields(text), " "), characters)
}

// refused reports a status and Google's reason, if that is an identifier: the message may quote
// the key.
func refused(status int, body []byte) error {
	var told struct {
		Error struct {
			Status string
			Errors []struct{ Reason string }
		}
	}
	_ = json.Unmarshal(body, &told) // a body that is not JSON has no reason
	reason := told.Error.Status
	if len(told.Error.Errors) > 0 && told.Error.Errors[0].Reason != "" {
		reason = told.Error.Errors[0].Reason
	}
	if !identifiers.MatchString(reason) {
		return fmt.Errorf("websearch: status %d", status)
	}
	return fmt.Errorf("websearch: status %d, %s", status, reason)
}

var identifiers = regexp.MustCompile(`^[A-Za-z][A-Za-z_]{0,39}$`)

// unreached returns a connection error without the address.
func unreached(err error) error {
	var told *url.Error
	switch {
	case errors.As(err, &told) && told.Timeout():
		return errors.New("websearch: no response in time")
	case errors.As(err, &told):
		err = told.Err
	}
	return fmt.Errorf("websearch: no response: %w", err)
}
