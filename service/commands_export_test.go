package main

var RunSubcommand = runSubcommand
