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
	"of a stream":      callsOfStream,
	"of messages":      callsOfMessages,
	"names":            namesOfCalls,
	"due":              queries.DueCalls,
	"lost":             loseCalls,
	"status":           statusOfCall,
	"change":           updateCall,
	"insert":           insertCall,
	"end of a stream":  streamIsOver,
	"settle":           store.SettleOne,
	"asked":            askedOf,
	"who writes":       epochOfOpen,
	"park":             parkStream,
	"round":            storeRound,
	"rounds":           roundsOfStream,
	"parked":           parkedStream,
	"take":             takeParked,
	"ready":            readyTurns,
	"count":            countParked,
	"calls to remove":  removeSomeCalls,
	"rounds to remove": removeSomeRounds,
	"stream of a chat": endStreamOfChat,
	"take a key":       store.TakeKey,
}

// ReadyCalls is the query of the calls that can begin, which sorts a page of positions.
const ReadyCalls = readyCalls
