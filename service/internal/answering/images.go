package answering

import (
	"context"
	"slices"
	"strings"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/images"
)

// imageNote stands in an answer for an image that it had.
const imageNote = "[image, which the next message has again if there is room]"

// withImages gives the images of answers with the messages after them, where every provider takes images, so that the user
// can ask for another version. The answers say that they had some.
func withImages(messages []PromptMessage) []PromptMessage {
	for i := range len(messages) - 1 {
		one, next := &messages[i], &messages[i+1]
		if one.Role != wire.RoleAssistant || len(one.Images) == 0 {
			continue
		}
		notes := strings.TrimSpace(strings.Repeat(imageNote+"\n", len(one.Images)))
		one.Text = strings.TrimSpace(one.Text + "\n" + notes)
		next.Images = slices.Concat(one.Images, next.Images)
		one.Images = nil
	}
	return messages
}

// describeResults looks up the images of results, beginning with the newest round, as long as there is room for them. It
// returns how many were left out.
func describeResults(ctx context.Context, past Past, rounds []Round, room *imageRoom) (left int, err error) {
	for _, round := range slices.Backward(rounds) {
		for i := range round.Calls {
			var kept []images.Image
			for _, named := range round.Calls[i].Images {
				one, err := past.Image(ctx, named.ID)
				if err != nil {
					return 0, err
				}
				if room.take(one) {
					kept = append(kept, one)
				}
			}
			left += len(round.Calls[i].Images) - len(kept)
			round.Calls[i].Images = kept
		}
	}
	return left, nil
}
