package test

import (
	"encoding/json"
	"fmt"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// webdriverKeys are the keys without a character, as WebDriver writes them
// (https://www.w3.org/TR/webdriver2/#keyboard-actions).
var webdriverKeys = map[string]string{
	kb.Enter: "\ue006", kb.Tab: "\ue004", kb.Escape: "\ue00c", kb.Backspace: "\ue003",
	kb.End: "\ue010", kb.Home: "\ue011", kb.ArrowLeft: "\ue012", kb.ArrowUp: "\ue013", kb.ArrowRight: "\ue014", kb.ArrowDown: "\ue015",
}

var webdriverModifiers = map[chromedp.Modifier]string{
	chromedp.ModifierShift: "\ue008", chromedp.ModifierCtrl: "\ue009", chromedp.ModifierAlt: "\ue00a", chromedp.ModifierMeta: "\ue03d",
}

// keyActions are the WebDriver input source that presses keys while modifiers are held.
func keyActions(keys string, modifiers chromedp.Modifier) ([]fields, error) {
	var down, all, up []fields
	for modifier, key := range webdriverModifiers {
		if modifiers&modifier != 0 {
			down = append(down, fields{"type": "keyDown", "value": key})
			up = append(up, fields{"type": "keyUp", "value": key})
		}
	}
	for _, character := range keys {
		key := string(character)
		if named, is := webdriverKeys[key]; is {
			key = named
		} else if _, printed := kb.Keys[character]; printed && !kb.Keys[character].Print {
			return nil, fmt.Errorf("the key %q of package kb has no name in webdriverKeys: add it", key)
		}
		all = append(all, fields{"type": "keyDown", "value": key}, fields{"type": "keyUp", "value": key})
	}
	return []fields{{"type": "key", "id": "keys", "actions": append(append(down, all...), up...)}}, nil
}

// mouseActions are the WebDriver input source that moves the mouse, and clicks if asked to.
func mouseActions(x, y float64, clicks bool) []fields {
	actions := []fields{{"type": "pointerMove", "x": int(x), "y": int(y)}}
	if clicks {
		actions = append(actions, fields{"type": "pointerDown", "button": 0}, fields{"type": "pointerUp", "button": 0})
	}
	return []fields{{"type": "pointer", "id": "mouse", "parameters": fields{"pointerType": "mouse"}, "actions": actions}}
}

// hands press the keys and move the mouse of a tab that accepts WebDriver actions. BiDi has the
// same.
type hands struct {
	of interface {
		act(actions []fields) error
		evaluate(expression string) (string, error)
	}
}

func (h hands) press(keys string, modifiers chromedp.Modifier) error {
	actions, err := keyActions(keys, modifiers)
	if err != nil {
		return err
	}
	return h.of.act(actions)
}

func (h hands) point(x, y float64) error { return h.of.act(mouseActions(x, y, false)) }

// click waits until the element is visible.
func (h hands) click(selector string) error {
	text, err := h.of.evaluate(shown(selector))
	if err != nil {
		return err
	}
	var middle [2]float64
	if err := json.Unmarshal([]byte(text), &middle); err != nil {
		return err
	}
	return h.of.act(mouseActions(middle[0], middle[1], true))
}
