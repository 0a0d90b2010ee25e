// Package chat is the heart of the service: it takes a question, asks a provider, and turns the
// answer into a stream of numbered events, each stored before anybody reads it. Begin with
// Service and its method Send.
//
// It knows neither HTTP nor SQL. It defines the interfaces that it needs, Provider and Store;
// packages agent/…, sqlite and postgres implement them.
package chat
