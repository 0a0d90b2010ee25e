package runtimes_test

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/chatsdk/chatsdk/js/test"
)

// steps are the lines that steps.mjs reports.
var steps = []string{
	`["created by","ada"]`,
	`["chunk","one "]`,
	`["chunk","two"]`,
	`["complete","one two"]`,
	`["streamed","say this"]`,
	`["chats",1,"Cats"]`,
	`["progress",14,14]`,
	`["documents",[true]]`,
	`["missing",true,404,"ENTITY_NOT_FOUND"]`,
	`["redirect",true]`,
	`["aborted","AbortError"]`,
	`["token of","ana"]`,
}

// stage is a service for the steps.
type stage struct {
	*test.Service
	// second lets the second chunk of the answer "gated" come.
	second chan struct{}
	// stopped is closed when the service leaves the model during the answer "endless".
	stopped chan struct{}
}

func newStage(t *testing.T) *stage {
	model := test.NewModel(t)
	s := &stage{second: make(chan struct{}), stopped: make(chan struct{})}
	model.On("gated", func(a *test.Answer) { a.Text("one ").Wait(s.second); a.Text("two").Finish("stop") })
	model.On("endless", func(a *test.Answer) { defer close(s.stopped); a.Text("part").Wait(nil) })
	s.Service = suite.Service(t, model.Env()...)
	s.Handle("/moved/", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
	})
	s.Handle("/elsewhere", func(http.ResponseWriter, *http.Request) { t.Error("the redirect was followed, with the API key") })
	return s
}

// read returns the reported lines. The second chunk is written once the first has
// been reported, so that a client which does not stream hangs.
func (s *stage) read(output io.Reader) []string {
	var told []string
	for lines := bufio.NewScanner(output); lines.Scan(); {
		told = append(told, lines.Text())
		if lines.Text() == `["chunk","one "]` {
			close(s.second)
		}
	}
	return told
}

// Each runtime goes through the steps, and its process ends by itself.
func TestAProgram(t *testing.T) {
	t.Parallel()
	for _, server := range servers {
		t.Run("runs in "+server.name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			command := server.command(t, s.Service, "runtimes", "program.mjs")
			var problems bytes.Buffer
			command.Stderr = &problems
			output, err := command.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, command.Start())
			told := s.read(output)
			require.NoError(t, command.Wait(), problems.String())
			require.Equal(t, steps, told)
			require.Empty(t, problems.String())
			<-s.stopped
		})
	}
}

func TestTheExampleForServers(t *testing.T) {
	t.Parallel()
	for _, server := range servers {
		t.Run("runs in "+server.name, func(t *testing.T) {
			t.Parallel()
			service := suite.Service(t, test.NewModel(t).Env()...)
			command := server.command(t, service, "13-servers", "answer.mjs", "What", "is", "said?")
			var problems bytes.Buffer
			command.Stderr = &problems
			output, err := command.Output()
			require.NoError(t, err, problems.String())
			require.Equal(t, "What is said?\n", string(output))
		})
	}
}
