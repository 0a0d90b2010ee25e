package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/ids"
	"github.com/chatsdk/chatsdk/service/internal/once"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/tool"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// Config configures a Service. Store, Provider and Agents are required.
type Config struct {
	Store    Store
	Provider answering.Provider
	// Agents are the agents of the project, the default one first.
	Agents []answering.Agent
	// Model is asked if neither the message nor the agent names one; empty if none is configured.
	Model string
	// Models are others that a message may name, besides those of the agents.
	Models []string
	// Abilities returns what is known of the model that an agent asks. Nil knows nothing.
	Abilities func(agent answering.Agent, model string) answering.Abilities
	// IsSameModel reports whether two names are of one model. Nil compares them.
	IsSameModel func(one, other string) bool
	Limits      Limits
	// Structured reports whether the Provider can answer in a given format, JSON among them.
	// Without it, format_instructions and example_json are refused.
	Structured bool
	// Searcher searches the web. If nil, google_search is refused.
	Searcher answering.Searcher
	// Memory is what the agents remember of users. Nil means nothing.
	Memory Memory
	// Knowledge holds the documents. If nil, options that ask for documents are refused.
	Knowledge Knowledge
	// Logs are the streams in Store. Nil is for a process without replicas.
	Logs *stream.Logs
	// ApprovalLifetime is how long a call waits for a decision, and how long an approved call
	// waits for a page; 0 means DefaultApprovalLifetime.
	ApprovalLifetime time.Duration
	// Drain is how long after its start a replica leaves calls to the other replicas if it
	// defines their tools differently; 0 if there are no other replicas.
	Drain time.Duration
	// Silence is how long a request waits for others without news: for the writer of an answer, for
	// the end after a stop, for another request with its key. 0 means DefaultSilence.
	Silence time.Duration
	// Retention is how long the events of a stream are kept after its end; 0 means
	// DefaultRetention.
	Retention time.Duration
	// Erased wakes Run when something was deleted that Store.Sweep removes. It may be nil.
	Erased <-chan struct{}
	// Log gets failures. The default is slog.Default.
	Log *slog.Logger
	// Now is the clock. The default is time.Now.
	Now func() time.Time
	// Ended is called once for each answer with its finish reason, or with its error code if it
	// failed. It is not called for tests, which are not counted. It may be nil.
	Ended func(outcome string)
	// Called is called once for each tool call with its final status. It may be nil.
	Called func(status string)
	// Repaired is called if the Provider is asked again because its answer did not have the
	// example's shape; not for tests. It may be nil.
	Repaired func()
	// Refused is called if a model's provider refused a prompt and is asked again with less: what it refused, as in
	// answering.Refused, and the operator's tool if it was one. It may be nil.
	Refused func(what, tool string)
}

// Limits bound what clients may send. A limit of 0 means none.
type Limits struct {
	// MessageCharacters and NameCharacters count Unicode code points.
	MessageCharacters int
	NameCharacters    int
	// DocumentKeys is how many documents a chat or a message may name; equal keys count once.
	DocumentKeys int
	// SendsPerMinute and StreamsPerUser apply to each user. An API key that acts for no user
	// counts as one.
	SendsPerMinute int
	StreamsPerUser int
	// AnswerBytes is how long the text of an answer may be, in bytes of UTF-8, in all its rounds.
	// One that grows longer ends there, with wire.FinishLength.
	AnswerBytes int
	// List is how many tool calls an answer may make; 0 means DefaultToolCalls.
	ToolCalls int
	// RunningCalls is how many tool calls a process carries out at once, RunningCallsPerUser and
	// RunningCallsPerTool how many of them for one user and of one tool; 0 means their defaults.
	RunningCalls, RunningCallsPerUser, RunningCallsPerTool int
}

// Service answers messages. It is safe for concurrent use. Close ends it. Run does its work in
// the background.
type Service struct {
	config Config
	quota  *quota
	// arriving are the requests with a key that were admitted and have not left.
	arriving arrivals
	// logs are the streams.
	logs    *stream.Logs
	running atomic.Int64

	mu     sync.Mutex
	closed bool
	turns  sync.WaitGroup
	// breaking is closed when the running answers are to be ended early.
	breaking chan struct{}
	// Each of these does its work once.
	breakOff, closeLogs func()

	// deleted wakes Run: as long as questions of a deleted chat wait to be examined, later
	// questions of the same user wait too.
	deleted chan struct{}
	// calls are the tool calls.
	calls *toolcall.Service
	// parked is what was found for parked answers.
	parked parkedFinds
	// shelf keeps what the tools of pages were compiled to.
	shelf *tool.Shelf
	// learned is what the models' providers have taught.
	learned *answering.Learned
}

// New returns a Service. It starts nothing.
func New(config Config) *Service {
	if config.Log == nil {
		config.Log = slog.Default()
	}
	if config.Now == nil {
		config.Now = time.Now
	}
	if config.Retention == 0 {
		config.Retention = DefaultRetention
	}
	if config.ApprovalLifetime == 0 {
		config.ApprovalLifetime = toolcall.DefaultApprovalLifetime
	}
	if config.Silence == 0 {
		config.Silence = DefaultSilence
	}
	if config.Logs == nil {
		config.Logs = stream.New(config.Store)
	}
	if config.Abilities == nil {
		config.Abilities = func(answering.Agent, string) answering.Abilities { return answering.Abilities{} }
	}
	if config.IsSameModel == nil {
		config.IsSameModel = func(one, other string) bool { return one == other }
	}
	if config.Ended == nil {
		config.Ended = func(string) {}
	}
	if config.Called == nil {
		config.Called = func(string) {}
	}
	if config.Repaired == nil {
		config.Repaired = func() {}
	}
	if config.Refused == nil {
		config.Refused = func(string, string) {}
	}
	s := &Service{
		config:   config,
		quota:    newQuota(config.Limits, config.Now),
		logs:     config.Logs,
		breaking: make(chan struct{}),
		deleted:  make(chan struct{}, 1),
		shelf:    tool.NewShelf(config.Log),
		learned:  answering.NewLearned(),
	}
	s.calls = toolcall.New(toolcall.Config{
		Store: config.Store, Tools: toolsOf(config.Agents), Shelf: s.shelf, PageTools: s.pageTools, Logs: s.logs,
		Enter: s.enterWork, Breaking: s.breaking, Lifetime: config.ApprovalLifetime, Drain: config.Drain, Called: config.Called,
		Limits: toolcall.Limits{
			Running: config.Limits.RunningCalls, RunningPerUser: config.Limits.RunningCallsPerUser, RunningPerTool: config.Limits.RunningCallsPerTool,
		},
		Log: config.Log, Now: config.Now,
	})
	s.breakOff = sync.OnceFunc(func() {
		close(s.breaking)
		s.logs.Interrupt(errClosing)
	})
	s.closeLogs = sync.OnceFunc(s.logs.Close)
	return s
}

// CreateChat creates a chat. A blank name becomes Untitled. A repeat of a request with its key
// gets the chat that the first one created, in its current state.
func (s *Service) CreateChat(
	ctx context.Context, caller access.Caller, request wire.CreateChatRequest, key once.Request,
) (made wire.Chat, replayed bool, err error) {
	made, replayed, err = s.madeChat(ctx, caller, key)
	if err != nil || replayed {
		return made, replayed, err
	}
	name, err := s.name("name", request.Name)
	if err != nil {
		return wire.Chat{}, false, err
	}
	if request.DocumentKeys, err = s.documentKeys(request.DocumentKeys); err != nil {
		return wire.Chat{}, false, err
	}
	if err := s.checkDocuments(ctx, caller.Scope, request.DocumentKeys); err != nil {
		return wire.Chat{}, false, err
	}
	chat := s.newChat(caller.Scope, name)
	chat.DocumentKeys, chat.Metadata = request.DocumentKeys, request.Metadata
	err = s.config.Store.CreateChat(ctx, caller.Scope, chat, key.Use(caller.ProjectID, caller.UserID, chat.ChatID, chat.CreatedAt))
	if errors.Is(err, once.ErrTaken) {
		return s.madeChat(ctx, caller, key)
	}
	return chat, false, err
}

// madeChat returns the chat that the earlier request with this key created.
func (s *Service) madeChat(ctx context.Context, caller access.Caller, key once.Request) (wire.Chat, bool, error) {
	used, found, err := key.Find(ctx, s.config.Store, caller.ProjectID, caller.UserID, s.now())
	if err != nil || !found {
		return wire.Chat{}, false, err
	}
	chat, err := s.config.Store.Chat(ctx, caller.Scope, used.Subject)
	return chat, err == nil, err
}

func (s *Service) newChat(scope access.Scope, name string) wire.Chat {
	now := s.now()
	return wire.Chat{ChatID: ids.New("chat"), Name: name, UserID: scope.UserID, CreatedAt: now, UpdatedAt: now}
}

// Calls are the tool calls of the answers.
func (s *Service) Calls() *toolcall.Service { return s.calls }

// ListChats returns a page of the caller's chats; see Chats.ListChats.
func (s *Service) ListChats(ctx context.Context, caller access.Caller, cursor int64, limit int) (wire.ListChatsResponse, error) {
	return s.config.Store.ListChats(ctx, caller.Scope, cursor, limit)
}

// ChatHistory returns a chat with its messages.
func (s *Service) ChatHistory(ctx context.Context, caller access.Caller, chatID string) (wire.ChatHistoryResponse, error) {
	return s.config.Store.ChatHistory(ctx, caller.Scope, chatID)
}

// HistoryPage returns a chat with some of its messages; see Chats.HistoryPage.
func (s *Service) HistoryPage(ctx context.Context, caller access.Caller, chatID string, page Page) (wire.ChatHistoryResponse, error) {
	history, err := s.config.Store.HistoryPage(ctx, caller.Scope, chatID, page)
	if err == nil {
		err = s.calls.HideIn(ctx, history.Messages)
	}
	return history, s.whatIsMissing(ctx, caller.Scope, chatID, err)
}

// Message returns a message of a chat.
func (s *Service) Message(ctx context.Context, caller access.Caller, chatID, messageID string) (wire.Message, error) {
	message, err := s.config.Store.Message(ctx, caller.Scope, chatID, messageID)
	if err == nil {
		one := []wire.Message{message}
		err = s.calls.HideIn(ctx, one)
	}
	return message, s.whatIsMissing(ctx, caller.Scope, chatID, err)
}

// RenameChat sets the chat's name, which must not be blank. Readers of its running answers are told.
func (s *Service) RenameChat(ctx context.Context, caller access.Caller, chatID, title string) error {
	if strings.TrimSpace(title) == "" {
		return fault.Invalid("title", "title is blank")
	}
	name, err := s.name("title", title)
	if err != nil {
		return err
	}
	told, err := s.config.Store.RenameChat(ctx, caller.Scope, chatID, name, s.now())
	for _, streamID := range told {
		s.logs.Changed(streamID)
	}
	return err
}

// NameEvent returns the event that tells readers of a stream that its chat has a new name.
func NameEvent(name string) Event {
	return stream.EventOf(wire.EventChatName, wire.ChatName{Name: name})
}

// DeleteChat removes a chat. Its running streams end with fault.ErrNotFound.
func (s *Service) DeleteChat(ctx context.Context, caller access.Caller, chatID string) error {
	if err := s.config.Store.DeleteChat(ctx, caller.Scope, chatID, s.now()); err != nil {
		return err
	}
	select {
	case s.deleted <- struct{}{}:
	default: // it is already awake
	}
	s.logs.DeleteChat(chatID)
	return nil
}

// SetFeedback rates an answer; see Chats.SetFeedback.
func (s *Service) SetFeedback(ctx context.Context, caller access.Caller, chatID, messageID string, positive bool) error {
	err := s.config.Store.SetFeedback(ctx, caller.Scope, chatID, messageID, positive)
	return s.whatIsMissing(ctx, caller.Scope, chatID, err)
}

// whatIsMissing replaces fault.ErrNotFound by errNoMessage if the chat exists.
func (s *Service) whatIsMissing(ctx context.Context, scope access.Scope, chatID string, err error) error {
	if !errors.Is(err, fault.ErrNotFound) {
		return err
	}
	if _, failed := s.config.Store.Chat(ctx, scope, chatID); failed != nil {
		return err
	}
	return errNoMessage
}

// Closing reports whether Close was called.
func (s *Service) Closing() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Running returns the number of answers that are being written.
func (s *Service) Running() int { return int(s.running.Load()) }

// Parked returns the number of answers that wait for tool calls, in all processes.
func (s *Service) Parked(ctx context.Context) (int, error) {
	return s.config.Store.CountAllParked(ctx)
}

// lastWrites is how long the ends of answers that Close breaks off may take to be stored.
const lastWrites = 2 * time.Second

// Close refuses further messages, disconnects readers of answers that other replicas write, waits
// for the running answers until ctx ends, and then ends the rest early. If the Store doesn't answer,
// it gives up soon after: the next process, or another replica, ends what is left. Whoever still
// waits for a stream gets stream.ErrClosed.
func (s *Service) Close(ctx context.Context) {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.logs.Leave()
	ended := make(chan struct{})
	go func() {
		s.turns.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-ctx.Done():
		s.breakOff()
		s.await(ended)
	}
	s.closeLogs()
}

// await waits for the last writes.
func (s *Service) await(ended <-chan struct{}) {
	select {
	case <-ended:
	case <-time.After(lastWrites):
		s.config.Log.Warn("the ends of answers or calls could not be stored in time; a later start or another replica ends them", "count", s.Running())
	}
}

// errClosing ends running answers and refuses new ones.
var errClosing = &fault.Error{
	Code: wire.CodeUnavailable, Message: "The service is shutting down; send the message again in a moment", RetryAfter: time.Second,
}

// name checks a name that a user gave and replaces a blank one by the default.
func (s *Service) name(field, name string) (string, error) {
	name = strings.TrimSpace(name)
	if name == "" {
		return Untitled, nil
	}
	limit := s.config.Limits.NameCharacters
	if length := utf8.RuneCountInString(name); limit > 0 && length > limit {
		return "", &fault.Error{
			Code:    wire.CodePayloadTooLarge,
			Message: fmt.Sprintf("%s has %d characters, want at most %d", field, length, limit),
			Fields:  []string{field},
		}
	}
	return name, nil
}

// now returns the time in seconds since the Unix epoch, with microseconds.
func (s *Service) now() float64 {
	return float64(s.config.Now().UnixMicro()) / 1e6
}
