package sqlite

// Internals that the tests of memories check.
var (
	MemoriesQuery = memoriesQuery
	DueJobs       = dueJobs

	// MemoryQueries are all but the lists and the queue.
	MemoryQueries = map[string]string{
		"chat's owner":        ownerInScope,
		"place":               placeOfMemory,
		"one":                 memoryByID,
		"approved":            approvedMemories,
		"open":                openMemories,
		"rejected by reviews": ofReviewers,
		"counts":              countMemories,
		"counts of a user":    countMemoriesOfUser,
		"update":              updateMemory,
		"expire":              expireMemories,
		"sweep":               sweepSpent,
		"count spent":         countSpent,
		"delete spent":        deleteSpent,
		"delete":              deleteMemory,
		"count of an owner":   countOfOwner,
		"erased":              erasedOwners,
		"remove erased":       removeSome,
		"remove marks":        removeMarks,
		"end of an erasure":   nothingErased,
		"end of an owner":     nothingOfOwner,
		"marks":               marksOfOwner,
		"insert":              insertMemory,
		"insert a mark":       insertMark,
		"delete jobs":         deleteJobs,
		"jobs of an agent":    deleteJobsOfAgent,
		"forget pending":      forgetPending,
		"forget messages":     forgetMessages,
		"of a chat":           insertErasuresOfChat,
		"receipts":            erasuresOfAgent,
		"answers":             answersOfMemory,
		"one of an owner":     oneMemory,
		"conflicts":           deleteConflicts,
		"settings":            memorySettings,
		"finish":              finishJob,
		"put off":             putOffJob,
		"drop":                deleteJob,
		"add a failure":       addFailure,
		"forget failures":     forgetFailures,
		"failures":            failuresOf,
		"waiting":             waitingOf,
	}
)
