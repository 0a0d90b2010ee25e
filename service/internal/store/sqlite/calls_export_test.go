package sqlite

import (
	"github.com/chatsdk/chatsdk/service/internal/store"
	"github.com/chatsdk/chatsdk/service/internal/toolcall"
)

// CallLists are the queries of a list of calls.
func CallLists(filter toolcall.Filter) (texts []string) {
	for _, list := range queries.CallLists(filter) {
		texts = append(texts, list.Text)
	}
	return texts
}

// CallQueries are all other queries of calls, rounds and parked answers.
var CallQueries = map[string]string{
	"one":              queries.CallByID,
	"of a stream":      queries.CallsOfStream,
	"of messages":      queries.CallsOfMessages,
	"names":            queries.NamesOfCalls,
	"due":              queries.DueCalls,
	"lost":             loseCalls,
	"status":           queries.StatusOfCall,
	"change":           queries.UpdateCall,
	"insert":           insertCall,
	"end of a stream":  streamIsOver,
	"settle":           store.SettleOne,
	"asked":            askedOf,
	"who writes":       epochOfOpen,
	"park":             parkStream,
	"round":            storeRound,
	"rounds":           queries.RoundsOfStream,
	"parked":           parkedStream,
	"take":             takeParked,
	"ready":            queries.ReadyTurns,
	"count":            queries.CountParked,
	"calls to remove":  removeSomeCalls,
	"rounds to remove": removeSomeRounds,
	"stream of a chat": endStreamOfChat,
	"take a key":       store.TakeKey,
}

// ReadyCalls is the query of the calls that can begin, which sorts a page of positions.
var ReadyCalls = queries.ReadyCalls
