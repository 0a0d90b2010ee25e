package postgres

import (
	"context"
	"database/sql"
	"errors"
	"net"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/chatsdk/chatsdk/sdk/wire"
	"github.com/chatsdk/chatsdk/service/internal/access"
	"github.com/chatsdk/chatsdk/service/internal/chat"
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/stream"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// WriteTries is how often a transaction is begun.
const WriteTries = writeTries

// Write runs do in a transaction, as every method that writes does.
func (s *Store) Write(ctx context.Context, do func(run func(statement string, args ...any) error) error) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		return do(func(statement string, args ...any) error {
			_, err := tx.Exec(ctx, statement, args...)
			return err
		})
	})
}

// Failed is an error as methods of a Store return it.
func Failed(err error) error { return failed("do", "something", err) }

// MemoriesQuery is the query of a list of memories.
var MemoriesQuery = queries.MemoriesQuery

// CallLists are the queries of a list of calls.
func CallLists(filter toolcall.Filter) (texts []string) {
	for _, list := range queries.CallLists(filter) {
		texts = append(texts, list.Text)
	}
	return texts
}

// Queries are those that must not read whole tables.
var Queries = map[string]string{
	"list of a project":     queries.ChatsOfProject,
	"list of a user":        queries.ChatsOfUser,
	"page of a path":        queries.MessagesOnPath,
	"page of branches":      queries.MessagesBefore,
	"sizes on a path":       queries.SizesOnPath,
	"sizes of branches":     queries.SizesBefore,
	"size of a message":     queries.SizeOfMessage,
	"newest descendant":     queries.NewestBelow,
	"message of a chat":     store.MessageOfChat,
	"returning a path":      store.ReturnPath,
	"newest exchanges":      queries.RecentExchanges,
	"siblings":              queries.SiblingsOf,
	"chat of a stream":      chatOfStream,
	"open streams of chat":  openOfChat,
	"events":                eventsAfter,
	"appends":               appendAll,
	"settle":                awaitStream,
	"open streams of mine":  ownedStreams,
	"open streams of users": countStreams,
	"broken answers":        brokenAnswers,
	"streams to sweep":      sweepStreams,
	"keys to sweep":         queries.SweepKeys,
	"keys passed on":        store.PassKeysOn,
	"sends to sweep":        sweepSends,
	"delete a chat":         deleteChat,
	"delete open streams":   deleteOpenStreams,
	"events of a stream":    eventsOfStream,
	"jobs of a chat":        forgetJobs,
	"delete events":         deleteEvents,
	"next removal":          nextRemoval,
	"messages to remove":    someMessages,
	"events to remove":      someEvents,
	"images to remove":      someImages,
	"remove messages":       removeMessages,
	"parts to remove":       someParts,
	"texts to remove":       someTexts,
	"passages to remove":    somePassages,
	"terms to remove":       someTerms,
	"owners of a chat":      ownersOfChat,
	"forget pending":        forgetPending,
	"forget messages":       forgetMessages,
	"count of chats":        queries.CountChats,
	"count of files":        queries.CountUserFiles,
	"approved":              queries.ApprovedMemories,
	"open":                  queries.OpenMemories,
	"rejected by reviews":   queries.OfReviewers,
	"counts":                queries.CountMemories,
	"count spent":           queries.CountSpent,
	"delete spent":          queries.DeleteSpent,
	"expire":                expireMemories,
	"sweep":                 sweepSpent,
	"marks":                 queries.MarksOfOwner,
	"jobs":                  takeJobs,
	"jobs of an owner":      deleteJobs,
	"jobs of an agent":      deleteJobsOfAgent,
	"files to read":         takeDocuments,
	"documents of a reach":  queries.PageOfDocuments,
	"runs":                  runsOfDocuments,
	"pages of terms":        pagesOfTerms,
	"passages":              passagesByID,
	"a call":                queries.CallByID,
	"calls of a stream":     queries.CallsOfStream,
	"calls of messages":     queries.CallsOfMessages,
	"names of calls":        queries.NamesOfCalls,
	"calls that are due":    queries.DueCalls,
	"calls that are ready":  queries.ReadyCalls,
	"change of a call":      queries.UpdateCall,
	"who parked it":         hasRound,
	"id of an event":        idOfEvent,
	"park":                  parkStream,
	"parked":                parkedStream,
	"take":                  takeParked,
	"can go on":             queries.ReadyTurns,
	"count of parked":       queries.CountParked,
	"count of all parked":   queries.CountAllParked,
	"rounds":                queries.RoundsOfStream,
	"take a key":            store.TakeKey,
	"claim of a key":        store.ClaimOfKey,
}

// ExecAll runs statements with the same arguments in one transaction.
func (s *Store) ExecAll(ctx context.Context, statements []string, args ...any) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error { return store.ExecAll(ctx, tx, statements, args...) })
}

// Read scans the one row of a query.
func (s *Store) Read(ctx context.Context, query string, to ...any) error {
	return s.now().Row(ctx, query).Scan(to...)
}

// WriteAndWait begins a turn and ends it in one transaction, which then waits before it ends.
func (s *Store) WriteAndWait(ctx context.Context, scope access.Scope, turn chat.Turn, answer wire.Message, end chat.End, wait func()) error {
	return s.write(ctx, func(ctx context.Context, tx store.Session) error {
		if err := s.beginTurn(ctx, tx, scope, turn.Question.ChatID, turn); err != nil {
			return err
		}
		_, err := endTurn(ctx, tx, stream.Lease{StreamID: turn.StreamID, Epoch: 1}, answer, end)
		wait()
		return err
	})
}

// OpenWatched opens a Store, and passes the socket of each connection to dialed, and then, before it is
// used, the connection to connected.
func OpenWatched(ctx context.Context, config Config, dialed func(net.Conn), connected pgconn.AfterConnectFunc) (*Store, error) {
	settings, err := configure(config)
	if err != nil {
		return nil, err
	}
	dial := settings.ConnConfig.DialFunc
	settings.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := dial(ctx, network, address)
		if err == nil {
			dialed(conn)
		}
		return conn, err
	}
	settings.ConnConfig.AfterConnect = connected
	return connect(ctx, config, settings)
}

// FillPool makes a Store use all connections that its pool may have.
func (s *Store) FillPool(ctx context.Context) error {
	for range s.pool.Config().MaxConns {
		conn, err := s.pool.Acquire(ctx)
		if err != nil {
			return err
		}
		defer conn.Release()
	}
	return nil
}

// Settings returns settings of a connection of the pool, within a transaction.
func (s *Store) Settings(ctx context.Context, names ...string) (all []string, err error) {
	err = s.write(ctx, func(ctx context.Context, tx store.Session) error {
		all, err = store.Collect(ctx, tx, store.ScanText, `SELECT current_setting(name) FROM unnest($1::text[]) WITH ORDINALITY AS a (name, n) ORDER BY n`, names)
		return err
	})
	return all, err
}

// RemoveOnce does one step of the removal of what is deleted, and reports whether anything was left.
func (s *Store) RemoveOnce(ctx context.Context) (did bool, err error) {
	one := new(removal)
	if err := s.nextRemoval(ctx, one); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			err = nil
		}
		return false, err
	}
	_, err = s.removeSome(ctx, one)
	return true, err
}

// Remove removes what is left of everything that is deleted.
func (s *Store) Remove(ctx context.Context) error { return s.remove(ctx) }
