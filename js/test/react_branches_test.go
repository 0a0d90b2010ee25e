package test_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// branchesOf lists the messages, each with its number among its siblings: "2/3 text".
func branchesOf(p *test.Page) []string {
	return test.Eval[[]string](p, `return chat.messages.map(({ id, siblings = [id], content }) => (siblings.indexOf(id) + 1) + "/" + siblings.length + " " + content)`)
}

// pathOf are the texts of the service's path.
func pathOf(p *test.Page, chatID string) (texts []string) {
	for _, message := range historyOf(p, chatID).Messages {
		texts = append(texts, message.Content)
	}
	return texts
}

// talk returns a page that shows a chat with these questions, each answered with its own text.
func talk(t *testing.T, service *test.Service, questions ...string) (p *test.Page, chatID string) {
	t.Helper()
	p = reactPage(t, service.Origin, service.Config(t, "ada"))
	show(p, map[string]any{})
	hasStatus(p, "ready")
	for _, question := range questions {
		p.Do(`await chat.send($1)`, question)
	}
	return p, test.Eval[string](p, `return chat.chatId`)
}

func TestReactEditsAQuestion(t *testing.T) {
	t.Parallel()
	service := suite.Service(t, test.NewModel(t).Env()...)
	p, chatID := talk(t, service, "one", "two")
	require.Equal(t, []string{"1/1 one", "1/1 one", "1/1 two", "1/1 two"}, branchesOf(p))
	require.Equal(t, "uno", test.Eval[string](p, `
		globalThis.edited = chat.edit(chat.messages[0].id, "uno");
		return (await edited).content;`))
	require.Equal(t, []string{"sent uno", "stop uno"}, rows(p))
	require.Equal(t, []string{"2/2 uno", "1/1 uno"}, branchesOf(p))
	require.Equal(t, []string{"uno", "uno"}, pathOf(p, chatID))

	p.Do(`await chat.send("due")`)
	p.Do(`await chat.selectBranch(chat.messages[0].siblings[0])`)
	require.Equal(t, []string{"1/2 one", "1/1 one", "1/1 two", "1/1 two"}, branchesOf(p))
	require.Equal(t, []string{"one", "one", "two", "two"}, pathOf(p, chatID))
	p.Do(`await chat.selectBranch(chat.messages[0].siblings[1])`)
	require.Equal(t, []string{"2/2 uno", "1/1 uno", "1/1 due", "1/1 due"}, branchesOf(p))
	hasStatus(p, "ready")

	for call, want := range map[string]string{
		`chat.edit(chat.messages[1].id, "x")`:  "is not a question on the path that is shown",
		`chat.edit("msg_none", "x")`:           "useChat: edit: message msg_none is not a question",
		`chat.regenerate(chat.messages[0].id)`: "is not an answer on the path that is shown",
	} {
		require.Contains(t, test.Eval[string](p, `return (await kit.failure(`+call+`)).message`), want, call)
	}
	p.Do(`await chat.selectBranch("msg_none")`)
	hasStatus(p, "error")
	require.Equal(t, "ENTITY_NOT_FOUND", test.Eval[string](p, `return chat.error.code`))
	require.Equal(t, []string{"2/2 uno", "1/1 uno", "1/1 due", "1/1 due"}, branchesOf(p))
}

// An edited question that was not delivered is shown in place of the old one until it is sent
// again, or another question is.
func TestReactSendsAnEditAgain(t *testing.T) {
	t.Parallel()
	inPageAlone(t, "it takes the page offline, but not a worker")
	service := suite.Service(t, test.NewModel(t).Env()...)
	p, chatID := talk(t, service, "one", "two")
	p.Offline(true)
	p.Do(`await chat.edit(chat.messages[0].id, "uno")`)
	hasStatus(p, "error")
	require.Equal(t, []string{"unsent uno"}, rows(p))
	p.Offline(false)
	p.Do(`await chat.retry()`)
	require.Equal(t, []string{"2/2 uno", "1/1 uno"}, branchesOf(p))

	p.Offline(true)
	p.Do(`await chat.edit(chat.messages[0].id, "ein")`)
	hasStatus(p, "error")
	p.Offline(false)
	p.Do(`await chat.send("due")`)
	require.Equal(t, []string{"2/2 uno", "1/1 uno", "1/1 ein", "1/1 due", "1/1 due"}, branchesOf(p), "it stays, behind what it would have replaced")
	require.Equal(t, []string{"uno", "uno", "due", "due"}, pathOf(p, chatID))
	p.Do(`await chat.resend(chat.messages.find(({ unsent }) => unsent).key)`)
	require.Equal(t, []string{"3/3 ein", "1/1 ein"}, branchesOf(p))
	require.Equal(t, []string{"ein", "ein"}, pathOf(p, chatID))
}

// The old answer and what follows it are shown until the new one begins, and again if it fails.
func TestReactRegeneratesAnyAnswer(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p, chatID := talk(t, service, "one", "two")
	old := []string{"sent one", "stop one", "sent two", "stop two"}

	gate := make(chan struct{})
	model.On("one", func(a *test.Answer) {
		a.Wait(gate)
		a.Text("half").Cut()
	})
	p.Do(`void chat.regenerate(chat.messages[1].id)`)
	hasStatus(p, "submitted")
	require.Equal(t, old, rows(p))
	close(gate)
	hasStatus(p, "error")
	require.Equal(t, old, rows(p))
	require.Equal(t, []string{"one", "one", "two", "two"}, pathOf(p, chatID))

	answer := pace(model, "one", "ein", "s")
	p.Do(`void chat.retry()`)
	lastIs(p, "writing", "ein")
	require.Equal(t, []string{"sent one", "writing ein"}, rows(p))
	require.Equal(t, []string{"1/1 one", "3/3 ein"}, branchesOf(p), "its place is known before it is whole")
	close(answer.gates[1])
	hasStatus(p, "ready")
	require.Equal(t, []string{"sent one", "stop eins"}, rows(p))
	p.Do(`await chat.selectBranch(chat.messages[1].siblings[0])`)
	require.Equal(t, old, rows(p))
	require.Equal(t, "1/3 one", branchesOf(p)[1], "the failed one is one of them")

	quiet := pace(model, "one", "", "")
	p.Do(`void chat.regenerate(chat.messages[1].id)`)
	hasStatus(p, "submitted")
	require.Eventually(t, func() bool { return quiet.asked.Load() == 1 }, time.Minute, time.Millisecond)
	p.Do(`await chat.stop()`)
	hasStatus(p, "ready")
	require.Equal(t, old, rows(p), "it was stopped before its first word")
	require.Equal(t, []string{"one", "one", "two", "two"}, pathOf(p, chatID))
}

// An answer on a branch that the user leaves continues, and is followed when the user comes back.
func TestReactLeavesABranchThatIsBeingWritten(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	p, chatID := talk(t, service, "one")
	answer := pace(model, "slow", "a ", "b ", "c")
	p.Do(`globalThis.edited = chat.edit(chat.messages[0].id, "slow")`)
	lastIs(p, "writing", "a ")
	p.Do(`await chat.selectBranch(chat.messages[0].siblings[0])`)
	require.Nil(t, test.Eval[any](p, `return edited`))
	hasStatus(p, "ready")
	require.Equal(t, []string{"1/2 one", "1/1 one"}, branchesOf(p))
	close(answer.gates[1])

	p.Do(`globalThis.back = chat.selectBranch(chat.messages[0].siblings[1])`)
	lastIs(p, "writing", "a b ")
	hasStatus(p, "streaming")
	// The path changes while it is followed, as if from another tab of the user.
	p.Do(`await sdk.selectBranch($1, chat.messages[0].siblings[0])`, chatID)
	close(answer.gates[2])
	require.Equal(t, "a b c", test.Eval[string](p, `return (await back).content`))
	require.Equal(t, []string{"sent slow", "stop a b c"}, rows(p))
	require.Equal(t, int32(1), answer.asked.Load())
	require.Zero(t, count(service.Calls(), "POST /v3/chat/stop"))
	require.Equal(t, []string{"one", "one"}, pathOf(p, chatID))
}

// A question that is being sent would be lost when the user changes the branch.
func TestReactWaitsForAQuestionOnItsWay(t *testing.T) {
	t.Parallel()
	p := scriptedChat(t)
	p.Do(`
		await settle("getChatHistory", loaded({ ...question(1), siblings: ["q0", "q1"] }, answer(1)));
		await is("ready");
		chat.send("and?");`)
	require.Contains(t, test.Eval[string](p, `return (await kit.failure(chat.selectBranch("q0"))).message`), "useChat: selectBranch: a message is on its way")
	p.Do(`
		await settle("event of and?", start(2));
		await settle("event of and?", { type: "chunk", text: "be" });
		await is("streaming");
		chat.selectBranch("q0");
		await settle("selectBranch q0", { message_id: "a0" });
		await settle("getChatHistory", loaded({ ...question(0), siblings: ["q0", "q1"] }, answer(0)));
		await is("ready");`)
	require.Equal(t, []string{"1/2 why?", "1/1 because"}, branchesOf(p))
	require.Equal(t, "q0", test.Eval[string](p, `return sdk.calls.filter(({ name }) => name === "getChatHistory").at(-1).options.messageId`))
	require.Empty(t, called(p), "nothing is stopped")
}

// Two tabs at once: nothing is lost, and one of them decides the path.
func TestReactInTwoTabsAtOnce(t *testing.T) {
	t.Parallel()
	model := test.NewModel(t)
	service := suite.Service(t, model.Env()...)
	first, chatID := talk(t, service, "one")
	second := first.Tab(service.URL + test.ModulePage)
	startReact(second, service.Config(t, "ada"))
	show(second, map[string]any{"chatId": chatID})
	hasStatus(second, "ready")
	left, right := pace(model, "left", "l", "eft"), pace(model, "right", "r", "ight")
	first.Do(`void chat.edit(chat.messages[0].id, "left")`)
	second.Do(`void chat.edit(chat.messages[0].id, "right")`)
	lastIs(first, "writing", "l")
	lastIs(second, "writing", "r")
	close(left.gates[1])
	close(right.gates[1])
	lastIs(first, "stop", "left")
	lastIs(second, "stop", "right")
	hasStatus(first, "ready")
	hasStatus(second, "ready")
	first.Do(`await chat.send("goes on")`)
	require.Equal(t, []string{"left", "left", "goes on", "goes on"}, pathOf(first, chatID))

	show(second, nil)
	show(second, map[string]any{"chatId": chatID})
	lastIs(second, "stop", "goes on")
	require.Contains(t, branchesOf(second)[0], "/3 left")
	texts := test.Eval[[]string](second, `
		const [{ siblings }] = chat.messages;
		const texts = [];
		for (const id of siblings) {
			await chat.selectBranch(id);
			texts.push(chat.messages.at(-1).content);
		}
		return texts.sort();`)
	require.Equal(t, []string{"goes on", "one", "right"}, texts)
}

// A service of an older version has one branch, and no ids of siblings.
func TestReactWithAnOlderService(t *testing.T) {
	t.Parallel()
	asked := make(chan string, 10)
	service := suite.Fake(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.URL.Path
		switch r.URL.Path {
		case "/project/demo/chat/c1/all":
			test.Reply(w, 200, "application/json", `{"id":"c1","chat_id":"c1","name":"n","created_at":1,"messages":[
				{"id":"q1","chat_id":"c1","role":"user","content":"why?","created_at":1},
				{"id":"a1","chat_id":"c1","role":"assistant","content":"He","created_at":1,"stream_id":"s1"}]}`)
		case "/v3/chat/stream/s1":
			test.NewStream(w).Chunk("He").Chunk("llo").Complete()
		default:
			test.Reply(w, 404, "application/json", `{"status_code":404,"error":{"code":"ENTITY_NOT_FOUND","message":"no such path"}}`)
		}
	})
	p := reactPage(t, service.Origin, service.Config())
	show(p, map[string]any{"chatId": "c1"})
	lastIs(p, "stop", "Hello")
	hasStatus(p, "ready")
}
