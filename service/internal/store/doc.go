// Package store has what the Stores of packages sqlite and postgres do in the same way: Tables, which both embed.
// Each implements Database, and says in its Dialect and its own files what differs: how events are appended, locks,
// the search, deletion in steps.
package store
