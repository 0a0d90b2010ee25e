package main

import (
	"context"
	"fmt"

	"github.com/chatsdk/chatsdk/service/internal/httpapi"
	"github.com/chatsdk/chatsdk/service/internal/sqlite"
)

// ready returns nil if the database can be used, or an error that says why not.
func (d *data) ready(ctx context.Context) error {
	err := d.store.Ping(ctx)
	if sqlite.IsBusy(err) {
		return fmt.Errorf("%w: %w", httpapi.ErrStalled, err)
	}
	return err
}
