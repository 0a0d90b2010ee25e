package test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// webdriver is a session of classic WebDriver (https://www.w3.org/TR/webdriver2/).
type webdriver struct {
	client http.Client
	// address is the driver's, or the session's once there is one.
	address string
}

// elementKey is how WebDriver marks an element.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// call sends a command and waits for its result, which may be nil. Commands
// without arguments have nil.
func (w *webdriver) call(method, path string, arguments fields, result any) error {
	var body io.Reader
	if method == http.MethodPost {
		if arguments == nil {
			arguments = fields{}
		}
		data, err := json.Marshal(arguments)
		if err != nil {
			return err
		}
		body = bytes.NewReader(data)
	}
	request, err := http.NewRequest(method, w.address+path, body)
	if err != nil {
		return err
	}
	response, err := w.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if response.StatusCode != http.StatusOK {
		var failed struct{ Error, Message string }
		_ = json.Unmarshal(answer.Value, &failed) // without a text the path says what failed
		return fmt.Errorf("%s: %s: %s", path, failed.Error, failed.Message)
	}
	if result == nil {
		return nil
	}
	return json.Unmarshal(answer.Value, result)
}

func (w *webdriver) get(path string, result any) error {
	return w.call(http.MethodGet, path, nil, result)
}

func (w *webdriver) post(path string, arguments fields, result any) error {
	return w.call(http.MethodPost, path, arguments, result)
}

func (w *webdriver) delete(path string) error { return w.call(http.MethodDelete, path, nil, nil) }

// begin begins a session.
func (w *webdriver) begin(capabilities fields) error {
	var made struct{ SessionID string }
	err := w.post("/session", fields{"capabilities": fields{"alwaysMatch": capabilities}}, &made)
	w.address += "/session/" + made.SessionID
	return err
}

// evaluate waits for the promise of a text that an expression returns. The
// expression begins in a microtask, because in code that the driver itself calls,
// WebKit runs microtasks at the end of every listener, in the middle of the
// function that fires the event.
func (w *webdriver) evaluate(expression string) (string, error) {
	var got struct {
		Value string
		Error *string
	}
	err := w.post("/execute/async", fields{"args": []any{}, "script": `
		const done = arguments[0];
		Promise.resolve().then(() => ` + expression + `).then(
			(value) => done({ value }),
			(error) => done({ error: error instanceof Error ? error.name + ": " + error.message + " " + error.stack : String(error) }));`}, &got)
	if err == nil && got.Error != nil {
		err = fmt.Errorf("%s", *got.Error)
	}
	return got.Value, err
}
