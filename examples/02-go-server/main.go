// Command 02-go-server asks the agent service a question from a Go program
// that holds an API key, and prints the answer as it arrives.
package main

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

func main() {
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL:   cmp.Or(os.Getenv("BASE_URL"), "http://127.0.0.1:8080"),
		ProjectID: cmp.Or(os.Getenv("PROJECT_ID"), "demo"),
		APIKey:    os.Getenv("API_KEY"),
		APISecret: os.Getenv("API_SECRET"),
	})
	if err != nil {
		log.Fatal(err)
	}
	question := cmp.Or(strings.Join(os.Args[1:], " "), "What did I ask first?")
	for event, err := range client.Stream(context.Background(), question, sdk.SendMessageOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		if event.Type == wire.EventChunk {
			fmt.Print(event.Text)
		}
	}
	fmt.Println()
}
