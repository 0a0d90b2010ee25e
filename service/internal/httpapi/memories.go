package httpapi

import (
	"net/http"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/memory"
)

// addMemories adds the routes for Config.Memory.
func (a *api) addMemories() {
	a.add(http.MethodGet, "/agents/{agent_id}/memory-settings", a.withCaller(a.memorySettings))
	a.add(http.MethodPut, "/agents/{agent_id}/memory-settings", a.writes(a.updateMemorySettings))
	a.add(http.MethodGet, "/agents/{agent_id}/memory-stats", a.withCaller(a.memoryStats))
	a.add(http.MethodGet, "/agents/{agent_id}/memories", a.withCaller(a.listMemories))
	a.add(http.MethodGet, "/agents/{agent_id}/memories/user/{user_id}", a.withCaller(a.listUserMemories))
	a.add(http.MethodDelete, "/agents/{agent_id}/memories/user/{user_id}", a.writes(a.deleteUserMemories))
	a.add(http.MethodGet, "/memory-approvals/pending", a.withCaller(a.listPendingMemories))
	a.add(http.MethodPost, "/agents/{agent_id}/memories/user/{user_id}", a.writesOnce(a.createMemory))
	a.add(http.MethodPost, "/memory-approvals/actions", a.writesOnce(a.decideMemories))
	a.add(http.MethodPost, "/memory-approvals/{memory_id}/action", a.writesOnce(a.decideMemory))
	a.add(http.MethodPut, "/memories/{memory_id}", a.writes(a.updateMemory))
	a.add(http.MethodDelete, "/memories/{memory_id}", a.writes(a.deleteMemory))
	a.add(http.MethodGet, "/memories/{memory_id}/answers", a.withCaller(a.answersOfMemory))
	a.add(http.MethodGet, "/agents/{agent_id}/erasures", a.withCaller(a.listErasures))
}

// memorySettings serves GET /agents/{agent_id}/memory-settings.
func (a *api) memorySettings(c *exchange) error {
	settings, err := a.config.Memory.Settings(c.r.Context(), c.caller, c.path["agent_id"])
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, settings)
	return nil
}

// updateMemorySettings serves PUT /agents/{agent_id}/memory-settings.
func (a *api) updateMemorySettings(c *exchange) error {
	var request wire.MemorySettings
	if err := c.readJSON(&request); err != nil {
		return err
	}
	settings, err := a.config.Memory.UpdateSettings(c.r.Context(), c.caller, c.path["agent_id"], request)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.MemorySettingsResponse{Success: true, Message: "Settings updated", Settings: settings})
	return nil
}

// memoryStats serves GET /agents/{agent_id}/memory-stats.
func (a *api) memoryStats(c *exchange) error {
	query, err := c.query("user_id")
	if err != nil {
		return err
	}
	stats, err := a.config.Memory.Stats(c.r.Context(), c.caller, c.path["agent_id"], query["user_id"])
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, stats)
	return nil
}

// listMemories serves GET /agents/{agent_id}/memories.
func (a *api) listMemories(c *exchange) error {
	query, err := c.query("status", "type", "user_id", "source_message_id", "source_chat_id")
	if err != nil {
		return err
	}
	if query["source_message_id"] != "" && query["source_chat_id"] != "" {
		return invalid("source_message_id and source_chat_id cannot be combined", "source_message_id", "source_chat_id")
	}
	of := c.list(listedMemories, query)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	filter := memory.Filter{
		Status: query["status"], Type: query["type"], UserID: query["user_id"],
		MessageID: query["source_message_id"], ChatID: query["source_chat_id"], Page: page.Page,
	}
	memories, next, err := a.config.Memory.List(c.r.Context(), c.caller, c.path["agent_id"], filter)
	if err != nil {
		return err
	}
	byUser := map[string][]wire.Memory{}
	for _, one := range memories {
		byUser[one.UserID] = append(byUser[one.UserID], one)
	}
	c.hasMore(page.asked, next > 0)
	c.writeJSON(http.StatusOK, wire.ListMemoriesResponse{
		MemoriesByUser: byUser, TotalUsers: len(byUser), TotalMemories: len(memories), NextCursor: of.cursor(next), HasMore: next > 0,
	})
	return nil
}

// listUserMemories serves GET /agents/{agent_id}/memories/user/{user_id}.
func (a *api) listUserMemories(c *exchange) error {
	query, err := c.query("status", "type")
	if err != nil {
		return err
	}
	userID, err := c.pathUser()
	if err != nil {
		return err
	}
	of := c.list(userMemories, query)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	filter := memory.Filter{Status: query["status"], Type: query["type"], Page: page.Page}
	memories, next, err := a.config.Memory.ListUser(c.r.Context(), c.caller, c.path["agent_id"], userID, filter)
	if err != nil {
		return err
	}
	c.hasMore(page.asked, next > 0)
	if !page.asked {
		c.writeJSON(http.StatusOK, orEmpty(memories))
		return nil
	}
	c.writeJSON(http.StatusOK, wire.ListUserMemoriesResponse{Memories: orEmpty(memories), NextCursor: of.cursor(next), HasMore: next > 0})
	return nil
}

// deleteUserMemories serves DELETE /agents/{agent_id}/memories/user/{user_id}.
func (a *api) deleteUserMemories(c *exchange) error {
	userID, err := c.pathUser()
	if err != nil {
		return err
	}
	deleted, err := a.config.Memory.DeleteUser(c.r.Context(), c.caller, c.path["agent_id"], userID)
	if err != nil {
		return err
	}
	a.config.Removals.MemoriesRemoved(c.r.Context())
	c.writeJSON(http.StatusOK, wire.MemoryDoneResponse{Success: true, Message: "The user's memories are deleted", Deleted: &deleted})
	return nil
}

// listPendingMemories serves GET /memory-approvals/pending.
func (a *api) listPendingMemories(c *exchange) error {
	query, err := c.query("agent_id", "user_id")
	if err != nil {
		return err
	}
	of := c.list(pendingMemories, query)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	filter := memory.PendingFilter{AgentID: query["agent_id"], UserID: query["user_id"], Page: page.Page}
	memories, next, err := a.config.Memory.Pending(c.r.Context(), c.caller, filter)
	if err != nil {
		return err
	}
	c.hasMore(page.asked, next > 0)
	c.writeJSON(http.StatusOK, wire.ListPendingMemoriesResponse{
		Approvals: orEmpty(memories), Total: len(memories), NextCursor: of.cursor(next), HasMore: next > 0,
	})
	return nil
}

// decideMemory serves POST /memory-approvals/{memory_id}/action.
func (a *api) decideMemory(c *exchange) error {
	var request wire.MemoryActionRequest
	key, err := c.readKeyed(&request, "action")
	if err != nil {
		return err
	}
	decision, err := a.config.Memory.Decide(c.r.Context(), c.caller, c.path["memory_id"], request, key)
	if err != nil {
		return err
	}
	c.replayed(decision.Replayed)
	c.writeJSON(http.StatusOK, wire.MemoryActionResponse{
		Success: true, Message: "Memory " + decision.Memory.Status, Memory: decision.Memory, Superseded: orEmpty(decision.Superseded),
	})
	return nil
}

// decideMemories serves POST /memory-approvals/actions.
func (a *api) decideMemories(c *exchange) error {
	var request wire.DecideMemoriesRequest
	key, err := c.readKeyed(&request, "action", "memory_ids")
	if err != nil {
		return err
	}
	results, replayed, err := a.config.Memory.DecideAll(c.r.Context(), c.caller, request, key)
	if err != nil {
		return err
	}
	c.replayed(replayed)
	c.writeJSON(http.StatusOK, wire.DecideMemoriesResponse{Results: results})
	return nil
}

// createMemory serves POST /agents/{agent_id}/memories/user/{user_id}.
func (a *api) createMemory(c *exchange) error {
	userID, err := c.pathUser()
	if err != nil {
		return err
	}
	if err := a.config.Limits.checkUser(userID, "user_id"); err != nil {
		return err
	}
	var request wire.WriteMemoryRequest
	key, err := c.readKeyed(&request, "memory_content", "memory_type")
	if err != nil {
		return err
	}
	made, err := a.config.Memory.Create(c.r.Context(), c.caller, c.path["agent_id"], userID, request, key)
	if err != nil {
		return err
	}
	c.replayed(made.Replayed)
	c.writeJSON(http.StatusOK, made.Memory)
	return nil
}

// updateMemory serves PUT /memories/{memory_id}.
func (a *api) updateMemory(c *exchange) error {
	var request wire.WriteMemoryRequest
	if err := c.readJSON(&request, "memory_content", "memory_type"); err != nil {
		return err
	}
	written, err := a.config.Memory.Update(c.r.Context(), c.caller, c.path["memory_id"], request)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, written)
	return nil
}

// answersOfMemory serves GET /memories/{memory_id}/answers.
func (a *api) answersOfMemory(c *exchange) error {
	of := c.list(answersOfMemory, nil)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	answers, next, err := a.config.Memory.Answers(c.r.Context(), c.caller, c.path["memory_id"], page.Page)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.AnswersOfMemoryResponse{Answers: answers, NextCursor: of.cursor(next), HasMore: next > 0})
	return nil
}

// listErasures serves GET /agents/{agent_id}/erasures.
func (a *api) listErasures(c *exchange) error {
	of := c.list(listedErasures, nil)
	page, err := c.page(of)
	if err != nil {
		return err
	}
	erasures, next, err := a.config.Memory.Erasures(c.r.Context(), c.caller, c.path["agent_id"], page.Page)
	if err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.ListErasuresResponse{Erasures: erasures, NextCursor: of.cursor(next), HasMore: next > 0})
	return nil
}

// deleteMemory serves DELETE /memories/{memory_id}.
func (a *api) deleteMemory(c *exchange) error {
	if err := a.config.Memory.Delete(c.r.Context(), c.caller, c.path["memory_id"]); err != nil {
		return err
	}
	c.writeJSON(http.StatusOK, wire.MemoryDoneResponse{Success: true, Message: "Memory deleted"})
	return nil
}

// pathUser returns the user that the path names.
func (c *exchange) pathUser() (string, error) {
	userID := c.path["user_id"]
	if !isID(userID) {
		return "", invalid(`user_id must be one id in UTF-8, and not ".", ".." or empty`, "user_id")
	}
	return userID, nil
}

// orEmpty replaces nil by an empty list, which JSON writes as [].
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
