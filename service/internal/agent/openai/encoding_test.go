package openai_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/sdk/wire"
)

// Only gzip is asked for, which net/http reads; an answer in another encoding is no answer.
func TestNoEncodingIsAskedForThatIsNotRead(t *testing.T) {
	t.Parallel()
	m := newModel(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "br")
		says(piece(`"x"`), ends("stop"))(w, r)
	})
	err := m.ask(t).err
	requireCode(t, wire.CodeProviderFailed, err)
	require.ErrorContains(t, err, "encoding that was not asked for")
	require.Equal(t, []string{"gzip"}, m.asked()[0].header["Accept-Encoding"])
}
