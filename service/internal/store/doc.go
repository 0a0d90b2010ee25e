// Package store has what the Stores of packages sqlite and postgres do in the same way: Tables, which both embed.
// Begin with Session and Dialect. What a database only says differently is a field of its Dialect. What it does
// differently stays in its package:
//
//   - Events. SQLite has one process, which knows where the events of open answers are; PostgreSQL numbers them in
//     the row of the answer, because any replica may write it next.
//   - Locks. SQLite has one writer, whose transactions are shared; PostgreSQL's are listed in its locks.go.
//   - Queues and limits of sends. In PostgreSQL replicas take jobs from each other, and count together.
//   - The search. SQLite has FTS5, PostgreSQL pages of terms.
//   - Deletion. SQLite hides rows, removes them in steps and zeroes them; PostgreSQL deletes what is seen, and removes the rest
//     in steps.
package store
