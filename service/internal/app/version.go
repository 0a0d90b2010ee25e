package app

// Version is the version of package.json; a test compares the two.
const Version = "0.1.0"
