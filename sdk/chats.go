package sdk

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// CreateChatOptions are the options of CreateChat. All are optional.
type CreateChatOptions struct {
	// Name is the chat's name. If it is blank, the name is "Untitled" until the first answer gives
	// the chat a name.
	Name string
	// DocumentKeys are the documents that the chat's answers use. Nil leaves them unset; empty means
	// none.
	DocumentKeys []string
	// Metadata is a JSON object that is stored with the chat. Nil means no metadata.
	Metadata wire.JSON
	// IdempotencyKey: calls with the same key within 24 hours create one chat; see
	// SendMessageOptions.
	IdempotencyKey string
}

// CreateChat creates a chat.
func (c *Client) CreateChat(ctx context.Context, options CreateChatOptions) (*Chat, error) {
	text, err := c.CreateChatJSON(ctx, options)
	return decoded(text, err, decodeChat)
}

// CreateChatJSON is CreateChat without decoding the response.
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
	return wire.JSON(a.value), a.fits(chatShape)
}

func checkMetadata(operation string, metadata wire.JSON) error {
	if metadata == nil {
		return nil
	}
	if _, err := parse(metadata); err != nil {
		return wrong(operation, "metadata", "is not a JSON object")
	}
	return nil
}

// DefaultChats and MaxChats are the default and the maximum of ListChatsOptions.Limit.
const (
	DefaultChats = 30
	MaxChats     = 100
)

// ListChatsOptions are the options of ListChats. All are optional.
type ListChatsOptions struct {
	// Cursor is the NextCursor of the previous page; 0 means the first page.
	Cursor int64
	// Limit is how many chats a page has at most, 1 to MaxChats; 0 means DefaultChats.
	Limit int
}

// ListChats returns a page of the caller's chats, newest activity first.
func (c *Client) ListChats(ctx context.Context, options ListChatsOptions) (*ListChatsResponse, error) {
	return c.chats(ctx, listChats, options)
}

func (c *Client) chats(ctx context.Context, call *Call, options ListChatsOptions) (*ListChatsResponse, error) {
	text, err := c.CallJSON(ctx, call, digits(options.Cursor), digits(options.Limit))
	return decoded(text, err, decodeChats)
}

// AllChats iterates over all chats of the caller, newest activity first, starting at options.Cursor.
// It asks for one page of options.Limit chats at a time. An error ends the loop.
func (c *Client) AllChats(ctx context.Context, options ListChatsOptions) iter.Seq2[Chat, error] {
	call := *listChats
	call.Operation = "allChats"
	return func(yield func(Chat, error) bool) {
		for {
			page, err := c.chats(ctx, &call, options)
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

// GetChatHistoryOptions are the options of GetChatHistory. All are optional.
type GetChatHistoryOptions struct {
	// Before is the id of a message: only older messages are returned. Empty means no such limit.
	Before string
	// Limit is the maximum number of messages to return, 1 to 1000; 0 means 1000. If there are more,
	// the newest are returned.
	Limit int
	// MessageID selects the path through this message. Empty means the chat's current path.
	MessageID string
	// Branches is "all" to get the messages of every branch. Empty means only those of the path.
	Branches string
}

// GetChatHistory returns a chat with messages of its path, oldest first: the newest 1,000, or those
// that the options select, and fewer if they are large: a page has at most 10 MiB, or one message. If
// HasMore is true there are older messages: to get them, set Before to the id of the first message
// here.
func (c *Client) GetChatHistory(ctx context.Context, chatID string, options GetChatHistoryOptions) (*ChatHistoryResponse, error) {
	text, err := c.CallJSON(ctx, getChatHistory, chatID, options.Before, digits(options.Limit), options.MessageID, options.Branches)
	return decoded(text, err, decodeHistory)
}

// history returns the newest messages of a chat's path for another operation.
func (c *Client) history(ctx context.Context, operation, chatID string) (jsontext.Value, error) {
	call := *getChatHistory
	call.Operation = operation
	text, err := c.CallJSON(ctx, &call, chatID, "", "", "", "")
	return jsontext.Value(text), err
}

// GetMessage returns a message of a chat, which need not be on the chat's path. An older service
// does not have this operation, and the error's code is then wire.CodeNotFound.
func (c *Client) GetMessage(ctx context.Context, chatID, messageID string) (*Message, error) {
	text, err := c.CallJSON(ctx, getMessage, chatID, messageID)
	return decoded(text, err, decodeMessage)
}

// message returns a message for another operation. If the service does not have getMessage, it looks
// in the history, and returns nil if the message is not there.
func (c *Client) message(ctx context.Context, operation, chatID, messageID string) (jsontext.Value, error) {
	call := *getMessage
	call.Operation = operation
	stored, err := c.CallJSON(ctx, &call, chatID, messageID)
	if failure, ok := errors.AsType[*APIError](err); !ok || !failure.noPath() {
		return jsontext.Value(stored), err
	}
	history, err := c.history(ctx, operation, chatID)
	var found jsontext.Value
	history.Get("messages").Elements(func(message jsontext.Value) {
		if text(message, "id") == messageID {
			found = message
		}
	})
	return found, err
}

// noPath reports whether the server does not know the request's path at all. If the service knows
// the path but did not find something, it names the field.
func (e *APIError) noPath() bool {
	return e.Status == 405 || e.Status == 404 && (e.Code != wire.CodeNotFound || len(e.InvalidFields) == 0)
}

// SelectBranch makes a chat's path go through a message, down to the newest message below it, and
// returns the id of the path's last message.
func (c *Client) SelectBranch(ctx context.Context, chatID, messageID string) (last string, err error) {
	answer, err := c.CallJSON(ctx, selectBranch, chatID, messageID, "")
	return text(jsontext.Value(answer), "message_id"), err
}

// DeleteChat deletes a chat and all its messages for good.
func (c *Client) DeleteChat(ctx context.Context, chatID string) error {
	_, err := c.CallJSON(ctx, deleteChat, chatID)
	return err
}

// UpdateChatName renames a chat. A blank name becomes "Untitled".
func (c *Client) UpdateChatName(ctx context.Context, chatID, newName string) error {
	_, err := c.CallJSON(ctx, updateChatName, chatID, newName)
	return err
}

// SendFeedback rates an answer: true is thumbs up, false is thumbs down. A second rating replaces the
// first.
func (c *Client) SendFeedback(ctx context.Context, messageID, chatID string, feedback bool) error {
	_, err := c.CallJSON(ctx, sendFeedback, chatID, messageID, strconv.FormatBool(feedback))
	return err
}
