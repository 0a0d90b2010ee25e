package sqlite

import "github.com/chatsdk/chatsdk/service/internal/store"

// Internals that the tests of memories check.
var (
	MemoriesQuery = queries.MemoriesQuery
	DueJobs       = dueJobs

	// MemoryQueries are all but the lists and the queue.
	MemoryQueries = map[string]string{
		"chat's owner":        queries.OwnerInScope,
		"place":               store.PlaceOfMemory,
		"one":                 queries.MemoryByID,
		"approved":            queries.ApprovedMemories,
		"open":                queries.OpenMemories,
		"rejected by reviews": queries.OfReviewers,
		"counts":              queries.CountMemories,
		"counts of a user":    queries.CountMemoriesOfUser,
		"update":              store.UpdateMemory,
		"expire":              expireMemories,
		"sweep":               sweepSpent,
		"count spent":         queries.CountSpent,
		"delete spent":        queries.DeleteSpent,
		"delete":              deleteMemory,
		"count of an owner":   countOfOwner,
		"erased":              erasedOwners,
		"remove erased":       removeSome,
		"remove marks":        removeMarks,
		"end of an erasure":   nothingErased,
		"end of an owner":     nothingOfOwner,
		"marks":               queries.MarksOfOwner,
		"insert":              queries.InsertMemory,
		"insert a mark":       insertMark,
		"delete jobs":         deleteJobs,
		"jobs of an agent":    deleteJobsOfAgent,
		"forget pending":      forgetPending,
		"forget messages":     forgetMessages,
		"of a chat":           queries.InsertErasuresOfChat,
		"receipts":            store.ErasuresOfAgent,
		"answers":             queries.AnswersOf,
		"one of an owner":     queries.OneMemory,
		"conflicts":           store.DeleteConflicts,
		"settings":            store.MemorySettings,
		"finish":              finishJob,
		"put off":             putOffJob,
		"drop":                deleteJob,
		"add a failure":       store.AddFailure,
		"forget failures":     store.ForgetFailures,
		"failures":            store.FailuresOf,
		"waiting":             queries.WaitingOf,
	}
)
