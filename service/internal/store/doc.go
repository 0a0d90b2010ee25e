// Package store has what the Stores of packages sqlite and postgres do in the same way.
package store
