// Package chat is the heart of the service: it keeps chats, questions, answers and branches, admits requests, and
// makes an answer a stream of numbered events, each stored before anybody reads it. Begin with Service and its
// method Send. Package answering makes the answers, and package toolcall carries out the calls.
//
// It knows neither HTTP nor SQL. It defines the interface Store, which packages sqlite and postgres implement.
package chat
