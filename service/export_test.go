package main

var (
	ReadSettings = readSettings
	ShutDown     = shutDown
)
