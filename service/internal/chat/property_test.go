package chat_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/answering"
	"github.com/chatsdk/chatsdk/service/internal/chat"
)

// play makes a model from any bytes: each byte says what the model does next.
func play(code []byte) script {
	return func(_ context.Context, _ answering.Prompt, yield func(answering.Piece, error) bool) {
		for i, b := range code {
			var err error
			piece := answering.Piece{}
			switch b % 16 {
			case 0:
				piece.FinishReason = wire.FinishStop
			case 1:
				piece.Text, piece.FinishReason = "last", wire.FinishLength
			case 2:
				err = errBusy
			case 3:
				piece.Lookup = string(code[i:])
			case 4:
				piece.Object = wire.JSON(code[i:])
			case 5:
				piece.Object = wire.JSON(`{"n": [1, null]}`)
			case 6:
				panic(string(code))
			case 7: // an empty piece
			case 8:
				piece.Text = strings.Repeat("long ", int(b))
			default:
				piece.Text = string(code[i:min(len(code), i+int(b%5)+1)])
			}
			if !yield(piece, err) {
				return
			}
		}
	}
}

// requireProof sends a message to a model that plays code, and checks the
// stream against its proof and the history against the stream.
func requireProof(t *testing.T, s *service, code []byte) {
	t.Helper()
	config := s.config
	config.Provider = play(code)
	one := chat.New(config)
	defer one.Close(t.Context())
	stream, err := one.Send(t.Context(), ann, chat.Send{Message: "Hi"})
	require.NoError(t, err)
	tr := read(t, stream)
	answer := s.history(tr.start.ChatID).Messages[1]
	require.Equal(t, tr.text(), answer.Content)
	require.Empty(t, answer.StreamID)
	require.Equal(t, tr.failure != nil, answer.FinishReason == wire.FinishError)
	require.NoError(t, s.DeleteChat(t.Context(), ann, tr.start.ChatID))
}

func TestAnyAnswerIsProven(t *testing.T) {
	t.Parallel()
	s := start(t, says())
	random := rand.NewChaCha8([32]byte{1})
	for i := range 150 {
		code := make([]byte, i%40)
		_, _ = random.Read(code)
		requireProof(t, s, code)
	}
}

func FuzzAnswer(f *testing.F) {
	for _, seed := range []string{"", "abc\x10", "\x09\x0a\x0b\x00", "{\"x\":1}\x00", "\x04{}", "\xff\xc3\xa9\x20", "\x88\x08\x02", "\x08\x06", "\x13\r\n\x00"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, code []byte) { requireProof(t, start(t, says()), code) })
}

// Many users send to one chat at once. Each answer comes right after its question,
// and each stream belongs to one question.
func TestManySendsAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, script(func(_ context.Context, prompt answering.Prompt, yield func(answering.Piece, error) bool) {
		asked := prompt.Messages[len(prompt.Messages)-1].Text
		for range 50 {
			if !yield(answering.Piece{Text: asked + " "}, nil) {
				return
			}
		}
		yield(answering.Piece{FinishReason: wire.FinishStop}, nil)
	}), agents(answering.Agent{ID: "a", Window: 1 << 20}))
	chatID := s.newChat(ann)
	var all sync.WaitGroup
	transcripts := make([]transcript, 40)
	for i := range transcripts {
		stream := s.send(ann, chat.Send{Message: fmt.Sprint("q", i), ChatID: chatID})
		all.Go(func() { transcripts[i] = read(t, stream) })
	}
	all.Wait()
	messages := s.history(chatID).Messages
	require.Len(t, messages, 80)
	for i, tr := range transcripts {
		question, answer := messages[2*i], messages[2*i+1]
		require.Equal(t, fmt.Sprint("q", i), question.Content, "questions are in order of arrival")
		require.Equal(t, strings.Repeat(question.Content+" ", 50), answer.Content)
		require.Equal(t, []string{tr.start.UserMessageID, tr.start.MessageID}, []string{question.ID, answer.ID})
		require.Equal(t, answer, tr.complete.Message)
	}
}

// Sends, deletes and Close may meet in any order: every stream that began ends,
// and nothing is left open in the store.
func TestSendsDeletesAndClose(t *testing.T) {
	t.Parallel()
	s := start(t, says(words(strings.Split(strings.Repeat("word ", 200), " ")...)...))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := 0; ; n++ {
				stream, err := s.Send(t.Context(), user(fmt.Sprint(i)), chat.Send{Message: "Hi"})
				if err != nil {
					requireError(t, err, wire.CodeUnavailable)
					return
				}
				chatID := decode[wire.Start](t, readUntil(t, stream, 1)[0]).ChatID
				if i%2 == 0 {
					require.NoError(t, s.DeleteChat(t.Context(), user(fmt.Sprint(i)), chatID))
				}
				read(t, stream)
				if i == 7 && n == 3 {
					s.Close(cancelled())
				}
			}
		})
	}
	all.Wait()
	require.Zero(t, s.Running())
	broken, err := s.store.EndBrokenTurns(t.Context(), chat.End{At: 300})
	require.NoError(t, err)
	require.Empty(t, broken)
}
