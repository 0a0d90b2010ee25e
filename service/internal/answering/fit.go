package answering

import (
	"context"
	"fmt"
	"slices"
)

// prompt makes the model's input. What stays the same from one question to the next stands first: the instructions, the
// memories of the user, and the chat up to now. What was found for the question, and the form that the user wants,
// stand in the last message, before the question.
//
// If this is more than the window holds, the oldest messages are left out, each as a whole, with its images. Passages
// take at most half of what the other parts leave, so that the chat keeps the other half; the worst passages are left
// out, each as a whole. What earlier rounds of the answer said and called is always included, and their results share
// the room that is left.
func (d *Draft) prompt(ctx context.Context, found Finds, past Past) (Prompt, error) {
	var history []PromptMessage
	if !d.NoHistory {
		var err error
		if history, err = past.Recent(ctx, d.mostRecent()); err != nil {
			return Prompt{}, err
		}
	}
	if d.asksForMarks() {
		history = marked(history)
	}
	m := d.meter()
	made, whole := d.fit(m.rough(), found, history)
	isQuick := m.IsExact() && whole
	if m.IsExact() && !whole {
		made, _ = d.fit(m, found, history)
	}
	if made.room < 0 && len(d.Rounds) > 0 {
		return Prompt{}, errOutgrown
	}
	d.LeftOut.Messages = len(history) - len(made.Messages)
	p, err := d.finished(ctx, past, made)
	d.counted = 0
	if err == nil && !m.IsPlain() && !isQuick {
		d.counted = meter{Counter: m.Times(0)}.whole(p)
	}
	return p, err
}

// mostRecent is how much of the chat is read: more than fits is not needed.
func (d *Draft) mostRecent() int {
	if d.Model == "" {
		return d.Window()
	}
	return d.Window() * longestToken / tokenBytes
}

// draftPrompt is a prompt before its last message is complete.
type draftPrompt struct {
	Prompt
	question PromptMessage
	// beside are what the question has beside it, before the form.
	beside []string
	// room is what is left of the window.
	room int
}

// fit makes the prompt without images, as m counts, and reports whether nothing was left out for want of room.
func (d *Draft) fit(m meter, found Finds, history []PromptMessage) (p draftPrompt, whole bool) {
	b := d.Basis
	p.Prompt = Prompt{
		User: b.User, Model: b.Model, System: b.system(b.Memories), Results: found.results, Tools: d.tools(), NoCalls: d.IsLast,
		Question: b.Question.Content, FallbackModels: b.Agent.FallbackModels, Parameters: b.Agent.Parameters, Reasoning: b.Reasoning,
	}
	if found.query != b.Question.Content {
		p.Query = found.query
	}
	p.question = asked(b.Question)
	results := b.resultsSection(d.mark, found.results)
	room := b.Window() - m.Count(p.System) - m.cost(p.question) - m.costOfTools(p.Tools) - m.Count(fenced(d.mark, joined(results, b.Options.formSection())))
	passages := b.Library.addPassages(m, &p.Prompt, d.mark, found.passages, d.less.passages(room))
	room -= m.Count(passages)
	room = d.addRounds(m, &p.Prompt, room)
	p.Messages = m.newest(history, d.less.history(room))
	d.history = 0
	for _, message := range p.Messages {
		d.history += m.cost(message)
	}
	room -= d.history
	p.beside = []string{callsSection(p.Messages), passages, results}
	p.room = room
	return p, len(p.Messages) == len(history) && len(p.Passages) == len(found.passages) && room >= 0 && !d.anyCut(p.Rounds)
}

// tools returns the tools that the model gets.
func (d *Draft) tools() []PromptTool {
	if d.Abilities.NoTools {
		return nil
	}
	return d.less.tools(d.promptTools())
}

// anyCut reports whether a result of a call was cut for want of room.
func (d *Draft) anyCut(rounds []Round) bool {
	for i, round := range rounds {
		for j, call := range round.Calls {
			if made := d.Rounds[i].Calls[j].Call; made != nil && len(call.Result) < len(made.Result) {
				return true
			}
		}
	}
	return false
}

// whole counts a prompt; 0 if it has images, about whose tokens nothing is known.
func (m meter) whole(p Prompt) int {
	count := m.Count(p.System) + m.costOfTools(p.Tools) + m.costOfRounds(p.Rounds)
	for _, round := range p.Rounds {
		if slices.ContainsFunc(round.Calls, func(call RoundCall) bool { return len(call.Images) > 0 }) {
			return 0
		}
	}
	for _, message := range p.Messages {
		if len(message.Images) > 0 {
			return 0
		}
		count += m.Count(message.Text) + m.head()
	}
	return count
}

// finished adds the question, looks up the images, and gives the messages the form that the model takes.
func (d *Draft) finished(ctx context.Context, past Past, made draftPrompt) (Prompt, error) {
	p := made.Prompt
	p.Files = past
	p.Messages = withImages(append(spoken(p.Messages), made.question))
	room := d.imageRoom()
	unseen, err := describeResults(ctx, past, p.Rounds, &room)
	if err != nil {
		return Prompt{}, err
	}
	left, err := d.describeImages(ctx, past, p.Messages, room)
	if err != nil {
		return Prompt{}, err
	}
	left += unseen
	last := &p.Messages[len(p.Messages)-1]
	beside := fenced(d.mark, joined(append(made.beside, imagesNote(left), d.Options.formSection())...))
	last.Text = joined(beside, last.Text)
	d.LeftOut.Images, d.LeftOut.Tools = left, len(d.Tools)-len(p.Tools)
	lesson := d.Learned.of(d.Model)
	if d.Abilities.Alternates || lesson.alternates || d.less.alternate {
		p = p.Alternating()
	}
	if lesson.noSystem || d.less.noSystem {
		p.Messages[0].Text, p.System = joined(p.System, p.Messages[0].Text), ""
	}
	return p, nil
}

// imagesNote says that the model does not get some images.
func imagesNote(left int) string {
	switch left {
	case 0:
		return ""
	case 1:
		return "One image that the user sent is left out: you cannot see it. If the question is about it, say so."
	}
	return fmt.Sprintf("%d images that the user sent are left out: you cannot see them. If the question is about them, say so.", left)
}
