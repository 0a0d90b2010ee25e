package sdk

import (
	"context"
	"errors"
	"iter"
	"strconv"

	"github.com/chatsdk/chatsdk/sdk/jsontext"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// CreateChatOptions are the options of CreateChat; all may be left out.
type CreateChatOptions struct {
	// Name is what people see; blank means "Untitled", and the first exchange
	// then names the chat.
	Name string
	// DocumentKeys are the documents that the chat draws on. Nil is unset;
	// empty means none.
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
	return decoded(text, err, decodeChat)
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

// Bounds of ListChatsOptions.Limit.
const (
	DefaultChats = 30
	MaxChats     = 100
)

// ListChatsOptions are the options of ListChats; all may be left out.
type ListChatsOptions struct {
	// Cursor is the NextCursor of the page before; 0 means the first page.
	Cursor int64
	// Limit is how many chats a page holds, 1 to MaxChats; 0 means DefaultChats.
	Limit int
}

// ListChats gives a page of the caller's chats, newest activity first.
func (c *Client) ListChats(ctx context.Context, options ListChatsOptions) (*ListChatsResponse, error) {
	text, err := c.CallJSON(ctx, listChats, digits(options.Cursor), digits(options.Limit))
	return decoded(text, err, decodeChats)
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

// GetChatHistoryOptions are the options of GetChatHistory; all may be left out.
type GetChatHistoryOptions struct {
	// Before is the id of a message: what is older is given. Empty means up to the
	// newest.
	Before string
	// Limit is how many messages are given at most, the newest of them, 1 to
	// 1000; 0 means 1000.
	Limit int
	// MessageID is a message: the path through it is given. Empty means the chat's own.
	MessageID string
	// Branches gives the messages of every branch where it is "all". Empty means the path alone.
	Branches string
}

// GetChatHistory gives a chat with the messages of its path, oldest first: the newest 1,000
// unless the options say otherwise. HasMore tells whether there are older ones;
// they stand Before the first that came.
func (c *Client) GetChatHistory(ctx context.Context, chatID string, options GetChatHistoryOptions) (*ChatHistoryResponse, error) {
	text, err := c.CallJSON(ctx, getChatHistory, chatID, options.Before, digits(options.Limit), options.MessageID, options.Branches)
	return decoded(text, err, decodeHistory)
}

// history gives the newest messages of a chat's path to another operation.
func (c *Client) history(ctx context.Context, operation, chatID string) (jsontext.Value, error) {
	call := *getChatHistory
	call.Operation = operation
	text, err := c.CallJSON(ctx, &call, chatID, "", "", "", "")
	return jsontext.Value(text), err
}

// GetMessage gives a message of a chat, whether its path has it or not. A service of an older
// version has none to give: wire.CodeNotFound.
func (c *Client) GetMessage(ctx context.Context, chatID, messageID string) (*Message, error) {
	text, err := c.CallJSON(ctx, getMessage, chatID, messageID)
	return decoded(text, err, decodeMessage)
}

// message gives a message to another operation, out of the history where the service is of a
// version that has no path for one; nil if the history does not have it.
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

// noPath tells whether the server does not know the path of a request at all. Where it knows
// it, the service names the field of what it did not find.
func (e *APIError) noPath() bool {
	return e.Status == 405 || e.Status == 404 && (e.Code != wire.CodeNotFound || len(e.InvalidFields) == 0)
}

// SelectBranch leads a chat's path through a message to the newest that descends from it,
// and gives the id of that one.
func (c *Client) SelectBranch(ctx context.Context, chatID, messageID string) (last string, err error) {
	answer, err := c.CallJSON(ctx, selectBranch, chatID, messageID, "")
	return text(jsontext.Value(answer), "message_id"), err
}

// DeleteChat removes a chat and all its messages for good.
func (c *Client) DeleteChat(ctx context.Context, chatID string) error {
	_, err := c.CallJSON(ctx, deleteChat, chatID)
	return err
}

// UpdateChatName changes the name that people see. A blank one is "Untitled".
func (c *Client) UpdateChatName(ctx context.Context, chatID, newName string) error {
	_, err := c.CallJSON(ctx, updateChatName, chatID, newName)
	return err
}

// SendFeedback rates an answer: true is thumbs up, false is thumbs down. A
// second rating replaces the first.
func (c *Client) SendFeedback(ctx context.Context, messageID, chatID string, feedback bool) error {
	_, err := c.CallJSON(ctx, sendFeedback, chatID, messageID, strconv.FormatBool(feedback))
	return err
}
