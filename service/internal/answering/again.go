package answering

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

// less is what is asked less for, because the provider refused more.
type less struct {
	alternate, noSystem       bool
	noEarlierImages, noImages bool
	// shorter says that the history takes at most this many tokens, and short that there is none, and that there are no
	// passages.
	shorter, short bool
	most           int
	// without are the tools that were refused, and noTools says all.
	without []string
	noTools bool
	// reformed says that the whole form was changed.
	reformed bool
}

// history returns the room for the history.
func (l less) history(room int) int {
	switch {
	case l.short:
		return 0
	case l.shorter:
		return min(room, l.most)
	}
	return room
}

// passages returns the room for passages.
func (l less) passages(room int) int {
	if l.short {
		return 0
	}
	return room / 2
}

func (l less) tools(all []PromptTool) []PromptTool {
	if l.noTools {
		return nil
	}
	return slices.DeleteFunc(all, func(one PromptTool) bool { return slices.Contains(l.without, one.Name) })
}

// after asks for less than a refused prompt, whose history took this many tokens, and reports whether there is less to ask for.
func (l *less) after(refusal Refusal, p Prompt, historyTokens int) bool {
	before := *l
	last := len(p.Messages) - 1
	switch refusal.What {
	case RefusedLength:
		l.shorter, l.short, l.most = true, l.shorter, historyTokens/2
		return !before.short && (last > 0 || len(p.Passages) > 0)
	case RefusedImages:
		hasEarlier := slices.ContainsFunc(p.Messages[:last], func(m PromptMessage) bool { return len(m.Images) > 0 })
		l.noEarlierImages, l.noImages = true, !hasEarlier
		return hasEarlier || len(p.Messages[last].Images) > 0
	case RefusedRoles:
		l.alternate, l.noSystem = true, p.Alternate
		return !p.Alternate || p.System != ""
	case RefusedTool:
		l.noTools = refusal.Tool == "" || !slices.ContainsFunc(p.Tools, func(one PromptTool) bool { return one.Name == refusal.Tool })
		l.without = append(slices.Clone(l.without), refusal.Tool)
		return len(p.Tools) > 0
	}
	l.alternate, l.noEarlierImages, l.shorter, l.most, l.reformed = true, true, true, historyTokens/4, true
	return !before.reformed && last > 0
}

// mostRefusals is how often a prompt is asked again with less.
const mostRefusals = 3

// askFitting asks the provider, and again with less if it refuses the prompt before anything was shown. change, unless
// it is nil, changes the prompt.
func (w *Writer) askFitting(ctx context.Context, found Finds, change func(Prompt) Prompt, held *strings.Builder) error {
	for refusals := 0; ; refusals++ {
		prompt, err := w.makePrompt(ctx, found)
		if err != nil {
			return err
		}
		if change != nil {
			prompt = change(prompt)
		}
		before, asked := w.progress(held), w.inputTokens()
		err = w.relay(ctx, prompt, held)
		var refusal Refusal
		if !errors.As(err, &refusal) {
			w.learn(err, w.inputTokens()-asked)
			return err
		}
		if refusals == mostRefusals || w.progress(held) != before || !w.less.after(refusal, prompt, w.history) {
			return advised(refusal, prompt, w.LeftOut.Messages > 0)
		}
		w.Refused(refusal.What, w.ownTool(refusal.Tool))
		w.Log.Warn("the provider of a model refused a prompt, which is asked again with less", "model", w.Model, "agent_id", w.Agent.ID,
			"refused", refusal.What, "tool", refusal.Tool, "messages", len(prompt.Messages), "error", refusal.Err)
	}
}

// makePrompt makes the prompt, and what its answer is read with.
func (w *Writer) makePrompt(ctx context.Context, found Finds) (prompt Prompt, err error) {
	err = w.Patiently(ctx, func() (err error) {
		prompt, err = w.prompt(ctx, found, w.Past)
		return err
	})
	if err != nil {
		return Prompt{}, err
	}
	w.evidence = evidenceOf(prompt)
	if w.asksForMarks() {
		w.marks = newMarks(len(prompt.Passages))
	}
	return prompt, nil
}

// progress is what the readers and the draft have of the answer.
func (d *Draft) progress(held *strings.Builder) [4]int {
	text := d.Said.Len()
	if held != nil {
		text = held.Len()
	}
	return [4]int{text, d.Chunks, len(d.Calls), d.Thought.Len()}
}

// learn remembers what a provider that answered has taught.
func (w *Writer) learn(err error, inputTokens int) {
	if err != nil {
		return
	}
	w.Learned.counted(w.Model, w.counted, inputTokens)
	if w.less.alternate && !w.less.reformed {
		w.Learned.change(w.Model, func(one *lesson) { one.alternates, one.noSystem = true, one.noSystem || w.less.noSystem })
	}
}

// inputTokens is how many tokens the prompts of the answer had, as the provider counts.
func (d *Draft) inputTokens() int {
	if d.Usage == nil {
		return 0
	}
	return int(d.Usage.InputTokens)
}

// ownTool returns the name of a tool that the operator defined; names that pages make up are not counted.
func (w *Writer) ownTool(name string) string {
	if one := w.Tool(name); name != "" && one != nil && (one.Kind != wire.ToolPage || one.Declared()) {
		return one.Name
	}
	return ""
}

// advised adds to an error what the user can do about a prompt that was refused. wasLonger says that the chat is longer.
func advised(refusal Refusal, p Prompt, wasLonger bool) error {
	var known *fault.Error
	if !errors.As(refusal.Err, &known) {
		return refusal.Err
	}
	advice := "shorten the message"
	if len(p.Messages[len(p.Messages)-1].Images) > 0 {
		advice = "send the message without images"
	}
	if len(p.Messages) > 1 || wasLonger {
		advice = "begin a new chat, or " + advice
	}
	said := *known
	said.Message = strings.TrimRight(known.Message, ".") + "; " + advice
	return &said
}
