// Package sdk is the client core of ChatSDK: chats, messages, streamed answers,
// feedback, memories and access tokens, in pure Go.
//
// A Go program on a server begins with nethttp.NewClient, which brings the
// Transport on net/http. In a web page the same core runs as WebAssembly behind
// the JavaScript package chatsdk, with a Transport on fetch; there is no other
// difference between the two.
//
// An agent may act through tools: those of its operator, and those of this program
// (Config.Tools), which carries their calls out in the answers that it follows. People
// decide about calls with Client.ApproveToolCall and Client.DenyToolCall. An answer that waits
// for a call stays what it is for as long as that takes; following it costs a
// request every 5 s, and leaving it does not stop it.
//
// A Client is safe for concurrent use and holds nothing that must be closed.
// Every call ends early, with the context's own error, when its context ends. A
// wrong argument is an *ArgumentError and sends nothing; everything else that
// goes wrong is an *APIError.
//
// The package imports neither net/http nor encoding/json nor any crypto
// package: they would triple the download of a page. What needs them comes in
// from outside, through Config.
package sdk
