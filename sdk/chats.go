package sdk

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// CreateChatOptions are the options of CreateChat; all may be left out.
type CreateChatOptions struct {
	// Name is what people see; blank is "Untitled", and the first exchange
	// then names the chat.
	Name string
	// DocumentKeys are the documents that the chat draws on. Nil is unset;
	// empty is none.
	DocumentKeys []string
	// Metadata is a JSON object, such as json.Marshal makes of a map, that is
	// kept with the chat. Nil is unset.
	Metadata wire.JSON
	// IdempotencyKey makes one chat of all calls with it in 24 hours; see
	// SendMessageOptions.
	IdempotencyKey string
}

// CreateChat makes a chat.
func (c *Client) CreateChat(ctx context.Context, options CreateChatOptions) (*Chat, error) {
	text, err := c.CreateChatJSON(ctx, options)
	if err != nil {
		return nil, err
	}
	chat := decodeChat(jsontext.Value(text))
	return &chat, nil
}

// CreateChatJSON is CreateChat without the decoding.
func (c *Client) CreateChatJSON(ctx context.Context, options CreateChatOptions) (wire.JSON, error) {
	const operation = "createChat"
	if err := checkMetadata(operation, options.Metadata); err != nil {
		return nil, err
	}
	body := encodeCreateChat(wire.CreateChatRequest{
		ProjectID: c.config.ProjectID, Name: options.Name, DocumentKeys: options.DocumentKeys, Metadata: options.Metadata,
	})
	header, err := keyed(operation, options.IdempotencyKey)
	if err != nil {
		return nil, err
	}
	a, err := c.call(ctx, operation, &Request{Method: "POST", URL: "/chat/create", Body: body, Header: header})
	if err != nil {
		return nil, err
	}
	if text(a.value, "chat_id") == "" {
		return nil, a.unreadable("it has no chat_id")
	}
	return wire.JSON(a.value), nil
}

func checkMetadata(operation string, metadata wire.JSON) error {
	if metadata == nil {
		return nil
	}
	if _, err := parse(metadata); err != nil {
		return wrong(operation, "metadata", "is no JSON object")
	}
	return nil
}

// post sends a JSON body.
func (c *Client) post(ctx context.Context, operation, method, path string, body []byte) (*answer, error) {
	return c.call(ctx, operation, &Request{Method: method, URL: path, Body: body})
}

// Bounds of ListChatsOptions.Limit.
const (
	DefaultChats = 30
	MaxChats     = 100
)

// ListChatsOptions are the options of ListChats; all may be left out.
type ListChatsOptions struct {
	// Cursor is the NextCursor of the page before; 0 is the first page.
	Cursor int64
	// Limit is how many chats a page holds, 1 to MaxChats; 0 is DefaultChats.
	Limit int
}

// ListChats gives a page of the caller's chats, newest activity first.
func (c *Client) ListChats(ctx context.Context, options ListChatsOptions) (*ListChatsResponse, error) {
	text, err := c.ListChatsJSON(ctx, options)
	if err != nil {
		return nil, err
	}
	list := decodeChats(jsontext.Value(text))
	return &list, nil
}

// ListChatsJSON is ListChats without the decoding.
func (c *Client) ListChatsJSON(ctx context.Context, options ListChatsOptions) (wire.JSON, error) {
	const operation = "listChats"
	if options.Limit < 0 || options.Limit > MaxChats {
		return nil, wrong(operation, "limit", fmt.Sprintf("is %d, want 1 to %d", options.Limit, MaxChats))
	}
	if options.Cursor < 0 || options.Cursor >= 1<<53 {
		return nil, wrong(operation, "cursor", fmt.Sprintf("is %d, want the next_cursor of the page before", options.Cursor))
	}
	a, err := c.call(ctx, operation, &Request{Method: "GET", URL: "/project/" + escape(c.config.ProjectID) + "/chat" + options.query()})
	if err != nil {
		return nil, err
	}
	return wire.JSON(a.value), nil
}

func (o ListChatsOptions) query() string {
	var parts []string
	if o.Cursor > 0 {
		parts = append(parts, "cursor="+strconv.FormatInt(o.Cursor, 10))
	}
	if o.Limit > 0 {
		parts = append(parts, "limit="+strconv.Itoa(o.Limit))
	}
	if len(parts) == 0 {
		return ""
	}
	return "?" + strings.Join(parts, "&")
}

// AllChats goes through all chats of the caller, newest activity first, from
// options.Cursor on, and asks for a page of options.Limit when it needs one.
// An error ends it.
func (c *Client) AllChats(ctx context.Context, options ListChatsOptions) iter.Seq2[Chat, error] {
	return func(yield func(Chat, error) bool) {
		for {
			page, err := c.ListChats(ctx, options)
			if err != nil {
				yield(Chat{}, err)
				return
			}
			for _, chat := range page.Chats {
				if !yield(chat, nil) {
					return
				}
			}
			if page.NextCursor == 0 || page.NextCursor == options.Cursor {
				return
			}
			options.Cursor = page.NextCursor
		}
	}
}

// GetChatHistory gives a chat with all its messages, oldest first.
func (c *Client) GetChatHistory(ctx context.Context, chatID string) (*ChatHistoryResponse, error) {
	text, err := c.GetChatHistoryJSON(ctx, chatID)
	if err != nil {
		return nil, err
	}
	history := decodeHistory(jsontext.Value(text))
	return &history, nil
}

// GetChatHistoryJSON is GetChatHistory without the decoding.
func (c *Client) GetChatHistoryJSON(ctx context.Context, chatID string) (wire.JSON, error) {
	history, err := c.history(ctx, "getChatHistory", chatID)
	return wire.JSON(history), err
}

func (c *Client) history(ctx context.Context, operation, chatID string) (jsontext.Value, error) {
	if err := checkID(operation, "chatId", chatID); err != nil {
		return nil, err
	}
	a, err := c.call(ctx, operation, &Request{
		Method: "GET", URL: "/project/" + escape(c.config.ProjectID) + "/chat/" + escape(chatID) + "/all",
	})
	if err != nil {
		return nil, err
	}
	return each(a.value, "messages", c.normal), nil
}

// DeleteChat removes a chat and all its messages for good.
func (c *Client) DeleteChat(ctx context.Context, chatID string) error {
	const operation = "deleteChat"
	if err := checkID(operation, "chatId", chatID); err != nil {
		return err
	}
	_, err := c.post(ctx, operation, "DELETE", "/chat/delete", encodeDeleteChat(wire.DeleteChatRequest{
		ProjectID: c.config.ProjectID, ChatID: chatID,
	}))
	return err
}

// UpdateChatName changes the name that people see. A blank one is "Untitled".
func (c *Client) UpdateChatName(ctx context.Context, chatID, newName string) error {
	const operation = "updateChatName"
	if err := checkID(operation, "chatId", chatID); err != nil {
		return err
	}
	_, err := c.post(ctx, operation, "POST", "/chat/update/name", encodeUpdateChatName(wire.UpdateChatNameRequest{
		ProjectID: c.config.ProjectID, ChatID: chatID, Title: newName,
	}))
	return err
}

// SendFeedback rates an answer: true is thumbs up, false is thumbs down. A
// second rating replaces the first.
func (c *Client) SendFeedback(ctx context.Context, messageID, chatID string, feedback bool) error {
	const operation = "sendFeedback"
	if err := checkIDs(operation, "messageId", messageID, "chatId", chatID); err != nil {
		return err
	}
	_, err := c.post(ctx, operation, "POST", "/chat/message/user/feedback", encodeSendFeedback(wire.SendFeedbackRequest{
		ProjectID: c.config.ProjectID, ChatID: chatID, MessageID: messageID, UserFeedback: &feedback,
	}))
	return err
}
