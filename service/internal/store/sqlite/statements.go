package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
)

// keeper opens connections that keep their prepared statements, because preparing takes longer
// than running most statements.
type keeper struct {
	driver.Connector
	gate *gate       // nil if nothing keeps these connections out
	saw  func(error) // gets the errors of statements
}

// connection is a connection of SQLite's driver.
type connection interface {
	driver.Conn
	driver.ConnPrepareContext
	driver.ConnBeginTx
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// Connect implements driver.Connector.
func (k keeper) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	kept := &keeping{connection: conn.(connection), kept: map[string]*statement{}, saw: k.saw}
	if k.gate == nil {
		return kept, nil
	}
	return &reading{keeping: kept, gate: k.gate}, nil
}

// keeping is a connection. database/sql uses it from one goroutine at a time.
type keeping struct {
	connection
	kept map[string]*statement
	saw  func(error)
}

// maxKept is how many statements a connection keeps. The program has fewer different texts, not
// counting composed ones.
const maxKept = 256

// statement is a kept statement.
type statement struct {
	driver.Stmt
	// read says that its rows are being read: running it again would lose them.
	read bool
}

// statement returns the statement with a text, nil if it can't be used now.
func (c *keeping) statement(ctx context.Context, text string) (*statement, error) {
	kept := c.kept[text]
	switch {
	case kept != nil && kept.read, kept == nil && len(c.kept) == maxKept:
		return nil, nil
	case kept != nil:
		return kept, nil
	}
	made, err := c.connection.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	kept = &statement{Stmt: made}
	c.kept[text] = kept
	return kept, nil
}

// ExecContext implements driver.ExecerContext.
func (c *keeping) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	one, err := c.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return c.connection.ExecContext(ctx, text, args)
	}
	result, err := one.Stmt.(driver.StmtExecContext).ExecContext(ctx, args)
	c.saw(err)
	return result, err
}

// QueryContext implements driver.QueryerContext.
func (c *keeping) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	one, err := c.statement(ctx, text)
	if err != nil {
		return nil, err
	}
	if one == nil {
		return c.connection.QueryContext(ctx, text, args)
	}
	rows, err := one.Stmt.(driver.StmtQueryContext).QueryContext(ctx, args)
	c.saw(err)
	if err != nil {
		return nil, err
	}
	one.read = true
	return &rowsOfKept{rows, one, c.saw}, nil
}

// rowsOfKept releases its statement when it is closed.
type rowsOfKept struct {
	driver.Rows
	of  *statement
	saw func(error)
}

// Next implements driver.Rows.
func (r *rowsOfKept) Next(row []driver.Value) error {
	err := r.Rows.Next(row)
	r.saw(err)
	return err
}

// Close implements driver.Rows.
func (r *rowsOfKept) Close() error {
	r.of.read = false
	return r.Rows.Close()
}

// Close implements driver.Conn.
func (c *keeping) Close() error {
	var all []error
	for _, one := range c.kept {
		all = append(all, one.Close())
	}
	return errors.Join(append(all, c.connection.Close())...)
}
