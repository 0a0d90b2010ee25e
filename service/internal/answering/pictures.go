package answering

import (
	"context"
	"math"
	"slices"

	"github.com/chatsdk/chatsdk/service/internal/images"
)

// promptImageBytes is the largest total size of the image files in one prompt if nothing is known of the model. The
// files of the question's own images are then always included.
const promptImageBytes = 20 << 20

// imageRoom is how many images, and how many bytes of them, a prompt may still have.
type imageRoom struct{ number, bytes int }

func (d *Draft) imageRoom() imageRoom {
	room := imageRoom{math.MaxInt, promptImageBytes}
	switch most := d.Abilities.Images; {
	case most == NoImages || d.less.noImages:
		room.number = 0
	case most > 0:
		room.number = most
	}
	if d.Abilities.ImageBytes > 0 {
		room.bytes = d.Abilities.ImageBytes
	}
	return room
}

// take takes room for an image, and reports whether there was enough.
func (r *imageRoom) take(one images.Image) bool {
	r.number--
	r.bytes -= one.Size
	return r.number >= 0 && r.bytes >= 0
}

// describeImages looks up the images of a prompt, whose last message is the question, beginning
// with the newest. If the images of an earlier message are more than the model takes, this message and all before it
// keep none. It returns how many images were left out.
func (d *Draft) describeImages(ctx context.Context, past Past, messages []PromptMessage, room imageRoom) (left int, err error) {
	full := room.number <= 0
	for i, message := range slices.Backward(messages) {
		isQuestion := i == len(messages)-1
		var kept []images.Image
		for _, named := range message.Images {
			if full {
				break
			}
			one, err := past.Image(ctx, named.ID)
			if err != nil {
				return 0, err
			}
			if full = !room.take(one) && !(isQuestion && room.number >= 0 && d.Abilities.ImageBytes == 0); !full {
				kept = append(kept, one)
			}
		}
		if full && !isQuestion {
			kept = nil
		}
		full = full || isQuestion && d.less.noEarlierImages
		left += len(message.Images) - len(kept)
		messages[i].Images = kept
	}
	return left, nil
}
