// Package chat is the heart of the service: it takes a question, asks a
// provider, and turns the answer into a stream of numbered events that is
// stored before anybody reads it. Begin with Service and Send.
//
// It knows neither HTTP nor SQL. The interfaces that it needs, Provider and
// Store, are its own; packages agent/… and sqlite serve them.
package chat
