package main

var (
	KeptCredentials = keptCredentials
	ReadSettings    = readSettings
	ShutDown        = shutDown
)
