package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/fault"
)

const (
	defaultPage = 30
	maxPage     = 100
	// maxCursor is the largest whole number that every JSON reader can hold exactly.
	maxCursor = 1<<53 - 1
)

// createChat serves POST /chat/create.
func (a *api) createChat(c *exchange) error {
	var request wire.CreateChatRequest
	key, err := c.readKeyed(&request, "project_id")
	if err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	if err := a.config.Limits.checkMetadata(request.Metadata, "metadata"); err != nil {
		return err
	}
	created, replayed, err := a.config.Chat.CreateChat(c.r.Context(), c.caller, request, key)
	if err != nil {
		return missing(err, "Chat", fieldKey)
	}
	c.replayed(replayed)
	created.UpdatedAt = 0 // the answer has it only in lists
	c.writeJSON(http.StatusOK, created)
	return nil
}

// listChats serves GET /project/{project_id}/chat.
func (a *api) listChats(c *exchange) error {
	query, err := c.values()
	if err != nil {
		return err
	}
	limit, err := queryNumber(query, "limit", defaultPage, 1, maxPage)
	if err != nil {
		return err
	}
	cursor, err := queryNumber(query, "cursor", 0, 1, maxCursor)
	if err != nil {
		return err
	}
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	page, err := a.config.Chat.ListChats(c.r.Context(), c.caller, cursor, int(limit))
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, page)
	return nil
}

// chatHistory serves GET /project/{project_id}/chat/{chat_id}/all.
func (a *api) chatHistory(c *exchange) error {
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	if !isID(c.path["chat_id"]) {
		return fault.ErrNotFound
	}
	page, err := c.historyPage()
	if err != nil {
		return err
	}
	history, err := a.config.Chat.HistoryPage(c.r.Context(), c.caller, c.path["chat_id"], page.Page)
	if err != nil {
		return err
	}
	c.hasMore(page.asked, history.HasMore)
	a.addressImages(history.Messages)
	c.writeJSON(http.StatusOK, history)
	return nil
}

// getMessage serves GET /project/{project_id}/chat/{chat_id}/message/{message_id}.
func (a *api) getMessage(c *exchange) error {
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	if !isID(c.path["chat_id"]) {
		return fault.NotFound("Chat", "chat_id")
	}
	message, err := a.config.Chat.Message(c.r.Context(), c.caller, c.path["chat_id"], c.path["message_id"])
	if err != nil {
		return err
	}
	messages := []wire.Message{message}
	a.addressImages(messages)
	c.writeJSON(http.StatusOK, messages[0])
	return nil
}

// selectBranch serves POST /chat/branch.
func (a *api) selectBranch(c *exchange) error {
	var request wire.SelectBranchRequest
	key, err := c.readKeyed(&request, "project_id", "chat_id", "message_id")
	if err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	if err := c.countOnce(a.limiters.reads); err != nil {
		return err
	}
	last, replayed, err := a.config.Chat.SelectBranch(c.r.Context(), c.caller, request.ChatID, request.MessageID, key)
	if err != nil {
		return err
	}
	c.replayed(replayed)
	c.writeJSON(http.StatusOK, wire.SelectBranchResponse{MessageID: last})
	return nil
}

// deleteChat serves DELETE /chat/delete.
func (a *api) deleteChat(c *exchange) error {
	var request wire.DeleteChatRequest
	if err := c.readJSON(&request, "project_id", "chat_id"); err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	if err := a.config.Chat.DeleteChat(c.r.Context(), c.caller, request.ChatID); err != nil {
		return err
	}
	a.config.Removals.ChatsRemoved(c.r.Context())
	c.writeJSON(http.StatusOK, wire.DoneResponse{Message: "Chat deleted"})
	return nil
}

// renameChat serves POST /chat/update/name.
func (a *api) renameChat(c *exchange) error {
	var request wire.UpdateChatNameRequest
	if err := c.readJSON(&request, "project_id", "chat_id", "title"); err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	if err := a.config.Chat.RenameChat(c.r.Context(), c.caller, request.ChatID, request.Title); err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.DoneResponse{Message: "Chat renamed"})
	return nil
}

// rateAnswer serves POST /chat/message/user/feedback.
func (a *api) rateAnswer(c *exchange) error {
	var request wire.SendFeedbackRequest
	if err := c.readJSON(&request, "project_id", "chat_id", "message_id", "user_feedback"); err != nil {
		return err
	}
	if err := a.checkProject(request.ProjectID); err != nil {
		return err
	}
	err := a.config.Chat.SetFeedback(c.r.Context(), c.caller, request.ChatID, request.MessageID, *request.UserFeedback)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.DoneResponse{Message: "Feedback stored", ChatID: request.ChatID})
	return nil
}

// listAgents serves GET /project/{project_id}/agents.
func (a *api) listAgents(c *exchange) error {
	if err := a.checkProject(c.path["project_id"]); err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, a.config.Chat.Agents(c.caller))
	return nil
}

// checkProject returns the same error for every project other than the one that is served.
func (a *api) checkProject(id string) error {
	if id != a.config.ProjectID {
		return fault.NotFound("Project", "project_id")
	}
	return nil
}
