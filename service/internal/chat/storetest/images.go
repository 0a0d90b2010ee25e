package storetest

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/fault"
	"github.com/chatsdk/chatsdk/service/internal/images"
	"github.com/chatsdk/chatsdk/service/internal/stream"
)

var imageRules = []rule{
	{"images are stored with their question", storesImages},
	{"images are deleted with their chat", deletesImages},
	{"a turn that is refused stores no images", refusesImages},
	{"images of an answer are kept once, with a bound", keepsImagesOfAnswers},
	{"images of a call come with its end, and stay with an answer that breaks off", callsBringImages},
}

// imageFile is an image with an id as those that are made, whose bytes count as many as size says.
func imageFile(id string, size int) images.File {
	return images.File{Image: images.Image{ID: "img_" + id, MediaType: "image/png", Width: 3, Height: 2, Size: size}, Content: bytes.Repeat([]byte("x"), size)}
}

func keepsImagesOfAnswers(t *testing.T, store chat.Store) {
	turn := turnInNew("c1", "t")
	begin(t, store, ann, turn)
	first, second := imageFile("1", 300_000), imageFile("2", 3)
	for range 2 { // the reply of the first try was lost
		kept, err := store.AddImages(t.Context(), turn.Answer.ID, []images.File{first, second})
		require.NoError(t, err)
		require.Equal(t, []string{"img_1", "img_2"}, kept)
	}
	got, err := store.Image(t.Context(), "project", "img_1")
	require.NoError(t, err)
	require.Equal(t, first.Image, got)
	var file parts
	require.NoError(t, store.WriteImage(t.Context(), &file, got))
	require.Equal(t, first.Content, file.all)

	many := []images.File{imageFile("large", images.MaxBytesOfAnswer-300_002)}
	for i := range images.MaxOfAnswer {
		many = append(many, imageFile(fmt.Sprint("small", i), 1))
	}
	kept, err := store.AddImages(t.Context(), turn.Answer.ID, many)
	require.NoError(t, err)
	require.Len(t, kept, images.MaxOfAnswer-2)
	require.Equal(t, "img_small0", kept[0], "the large one is over the bound")

	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	_, err = store.Image(t.Context(), "project", "img_1")
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.AddImages(t.Context(), turn.Answer.ID, []images.File{imageFile("late", 5)})
	require.ErrorIs(t, err, fault.ErrNotFound)
	_, err = store.Image(t.Context(), "project", "img_late")
	require.ErrorIs(t, err, fault.ErrNotFound)
}

func callsBringImages(t *testing.T, store chat.Store) {
	turn := tools(turnInNew("c1", "t"))
	park(t, store, turn, callOf(turn, "k1"))
	_, err := store.AddImages(t.Context(), turn.Answer.ID, []images.File{imageFile("1", 7)})
	require.NoError(t, err)
	done := callIn(t, store, "k1")
	done.Status, done.Images = wire.CallDone, []string{"img_1"}
	require.NoError(t, store.SetCall(t.Context(), done, nil))
	require.Equal(t, []string{"img_1"}, callIn(t, store, "k1").Images)
	require.Equal(t, []string{"img_1"}, history(t, store, ann, "c1").Messages[1].ImageURLs, "while the answer is open")

	require.NoError(t, store.TakeTurn(t.Context(), stream.Lease{StreamID: turn.StreamID, Epoch: 2}))
	broken, err := store.EndBrokenTurns(t.Context(), chat.End{At: 300}, turn.StreamID)
	require.NoError(t, err)
	require.Equal(t, []string{turn.StreamID}, broken)
	require.Equal(t, []string{"img_1"}, message(t, store, turn.Answer.ID).ImageURLs)
}

// withImages gives the question of a turn two images, named after it.
func withImages(turn chat.Turn) chat.Turn {
	large := bytes.Repeat([]byte("\x00\xff one"), 100_000)
	first := images.File{Image: images.Image{ID: turn.StreamID + "-i1", MediaType: "image/png", Width: 3, Height: 2, Size: len(large)}, Content: large}
	second := images.File{Image: images.Image{ID: turn.StreamID + "-i2", MediaType: "image/gif", Width: 1, Height: 1, Size: 3}, Content: []byte("two")}
	turn.Images = []images.File{first, second}
	turn.Question.ImageURLs = []string{first.ID, second.ID}
	return turn
}

func storesImages(t *testing.T, store chat.Store) {
	turn := withImages(turnInNew("c1", "t"))
	begin(t, store, ann, turn)
	end(t, store, turn, "seen")
	require.Equal(t, []string{"t-s-i1", "t-s-i2"}, history(t, store, ann, "c1").Messages[0].ImageURLs)
	for _, want := range turn.Images {
		got, err := store.Image(t.Context(), "project", want.ID)
		require.NoError(t, err)
		require.Equal(t, want.Image, got)
		var file parts
		require.NoError(t, store.WriteImage(t.Context(), &file, got))
		require.Equal(t, want.Content, file.all)
		require.LessOrEqual(t, file.longest, 256<<10, "a part at a time")
		_, err = store.Image(t.Context(), "elsewhere", want.ID)
		require.ErrorIs(t, err, fault.ErrNotFound, "another project has no such image")
	}
	next := again(turn, "again")
	begin(t, store, ann, next)
	end(t, store, next, "seen again")
	_, err := store.Image(t.Context(), "project", "t-s-i1")
	require.NoError(t, err, "a question keeps its images when it is answered again")
	other := edited(turn, "other")
	other.Question.ImageURLs = turn.Question.ImageURLs
	begin(t, store, ann, other)
	require.Equal(t, turn.Question.ImageURLs, message(t, store, "other-q").ImageURLs, "an edited one shares them")
}

func deletesImages(t *testing.T, store chat.Store) {
	begin(t, store, ann, withImages(turnInNew("c1", "t")), withImages(turnInNew("c2", "u")))
	require.NoError(t, store.DeleteChat(t.Context(), ann, "c1", 300))
	for _, id := range []string{"t-s-i1", "t-s-i2"} {
		_, err := store.Image(t.Context(), "project", id)
		require.ErrorIs(t, err, fault.ErrNotFound)
		require.ErrorIs(t, store.WriteImage(t.Context(), io.Discard, images.Image{ID: "gone-" + id, Size: 1}), fault.ErrNotFound)
	}
	_, err := store.Image(t.Context(), "project", "u-s-i1")
	require.NoError(t, err, "those of other chats stay")
}

func refusesImages(t *testing.T, store chat.Store) {
	begin(t, store, bob, turnInNew("bob's", "b"))
	require.ErrorIs(t, store.BeginTurn(t.Context(), ann, withImages(turnIn("bob's", "t"))), fault.ErrNotFound)
	_, err := store.Image(t.Context(), "project", "t-s-i1")
	require.ErrorIs(t, err, fault.ErrNotFound)
}

// parts keeps what is written to it.
type parts struct {
	all     []byte
	longest int
}

func (p *parts) Write(part []byte) (int, error) {
	p.all = append(p.all, part...)
	p.longest = max(p.longest, len(part))
	return len(part), nil
}
