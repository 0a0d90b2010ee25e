//go:build !js

package sdk_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/chatsdk/chatsdk/sdk"
	"github.com/chatsdk/chatsdk/sdk/nethttp"
	"github.com/chatsdk/chatsdk/sdk/wire"
)

// standIn answers as the service does, so that the examples can run.
func standIn(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.Header.Get("Accept") == "text/event-stream":
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, stream(answerOf("It is ", "Tuesday.")...))
	case r.URL.Path == "/v3/chat/message":
		fmt.Fprint(w, `{"message":{"id":"m2","content":"It is Tuesday."},"chat_id":"c1","message_id":"m2"}`)
	case r.URL.Query().Get("cursor") == "":
		fmt.Fprint(w, `{"chats":[{"chat_id":"c3","name":"Weekdays"},{"chat_id":"c2","name":"Recipes"}],"next_cursor":2,"has_more":true}`)
	default:
		fmt.Fprint(w, `{"chats":[{"chat_id":"c1","name":"Travel"}],"has_more":false}`)
	}
}

// A program on a server begins with nethttp.NewClient.
func Example() {
	server := httptest.NewServer(http.HandlerFunc(standIn)) // use the address of your service
	defer server.Close()
	client, err := nethttp.NewClient(sdk.Config{
		BaseURL: server.URL, ProjectID: "demo", APIKey: "key", APISecret: "0123456789abcdef0123456789abcdef", UserID: "ada",
	})
	if err != nil {
		log.Fatal(err)
	}
	response, err := client.SendMessage(context.Background(), "What day is it?", sdk.SendMessageOptions{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(response.Message.Content)
	// Output: It is Tuesday.
}

// A streamed answer. An error ends the loop, and leaving the loop stops the answer.
func ExampleClient_Stream() {
	server := httptest.NewServer(http.HandlerFunc(standIn))
	defer server.Close()
	client, err := nethttp.NewClient(sdk.Config{BaseURL: server.URL, ProjectID: "demo", AccessToken: "token"})
	if err != nil {
		log.Fatal(err)
	}
	for event, err := range client.Stream(context.Background(), "What day is it?", sdk.SendMessageOptions{}) {
		if err != nil {
			log.Fatal(err)
		}
		switch event.Type {
		case wire.EventChunk:
			fmt.Printf("%q\n", event.Text)
		case wire.EventComplete:
			fmt.Println(event.Message.FinishReason)
		}
	}
	// Output:
	// "It is "
	// "Tuesday."
	// stop
}

// A streamed answer with callbacks.
func ExampleClient_SendMessageStream() {
	server := httptest.NewServer(http.HandlerFunc(standIn))
	defer server.Close()
	client, err := nethttp.NewClient(sdk.Config{BaseURL: server.URL, ProjectID: "demo", AccessToken: "token"})
	if err != nil {
		log.Fatal(err)
	}
	err = client.SendMessageStream(context.Background(), "What day is it?", sdk.SendMessageStreamOptions{
		OnChunk:      func(text string) { fmt.Print(text) },
		OnComplete:   func(sdk.Message) { fmt.Println() },
		OnError:      func(err error) { fmt.Println(err) },
		OnMessageEnd: func() { fmt.Println("that was it") },
	})
	if err != nil {
		log.Fatal(err)
	}
	// Output:
	// It is Tuesday.
	// that was it
}

// All chats, newest activity first. Pages are fetched as they are needed.
func ExampleClient_AllChats() {
	server := httptest.NewServer(http.HandlerFunc(standIn))
	defer server.Close()
	client, err := nethttp.NewClient(sdk.Config{BaseURL: server.URL, ProjectID: "demo", AccessToken: "token"})
	if err != nil {
		log.Fatal(err)
	}
	for chat, err := range client.AllChats(context.Background(), sdk.ListChatsOptions{Limit: 2}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(chat.Name)
	}
	// Output:
	// Weekdays
	// Recipes
	// Travel
}
