// Package room asks for room in memory. Whoever answers a request bounds how much all answers
// together may hold, and only a Store knows how much an answer will hold before it is read. So the
// one who answers puts its budget into the context, With, and the Store asks it, Take. Everybody
// else reads without bounds. Bytes are counted once, as they are stored; while an answer is written, they
// are in memory about twice: as they were read, and as JSON.
package room

import "context"

type key struct{}

// With returns a context in which Take asks take.
func With(ctx context.Context, take func(bytes int64) error) context.Context {
	return context.WithValue(ctx, key{}, take)
}

// Take asks for room for bytes that are about to be read, in addition to those before. The error is
// what the client is told. Whoever made the context gives the room back.
func Take(ctx context.Context, bytes int64) error {
	if take, bounded := ctx.Value(key{}).(func(int64) error); bounded {
		return take(bytes)
	}
	return nil
}

// Each is scan, and takes room for each row that it has read. A row is small against all that may be
// held.
func Each[Row, T any](ctx context.Context, scan func(Row) (T, error), bytes func(T) int64) func(Row) (T, error) {
	return func(row Row) (T, error) {
		one, err := scan(row)
		if err == nil {
			err = Take(ctx, bytes(one))
		}
		return one, err
	}
}
