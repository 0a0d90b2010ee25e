package main

// Times are times.
type Times = times

var (
	Alternate       = alternate
	ReadMemories    = readMemories
	ImportDocuments = importDocuments
)
