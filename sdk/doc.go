// Package sdk is the client core of ChatSDK in pure Go: chats, messages, streamed answers, feedback,
// documents, memories, tools and access tokens.
//
// In a Go program, begin with nethttp.NewClient, which adds a Transport on net/http. In a web page
// the same core runs as WebAssembly behind the JavaScript package chatsdk, with a Transport on
// fetch. There is no other difference between the two.
//
// An agent may call tools: those of its operator, and those of this program (Config.Tools). The
// program carries out the calls of its own tools in the answers that it follows. People approve or
// deny calls with Client.ApproveToolCall and Client.DenyToolCall. An answer may wait for days for a
// tool call: following it costs a request every 5 s, and to stop following it does not stop it.
//
// A Client is safe for concurrent use, and there is nothing to close. When the context of a call
// ends, the call returns at once with the context's error. A call with a wrong argument returns an
// *ArgumentError and sends nothing. Every other failure is an *APIError.
//
// The package imports neither net/http nor encoding/json nor any crypto package, because they would
// triple what a page downloads. Config passes in what needs them.
package sdk
