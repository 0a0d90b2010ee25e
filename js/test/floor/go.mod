// A separate module, so that it has safejs unchanged, and not the copy in bridge/safejs.
module github.com/chatsdk/chatsdk/js/test/floor

go 1.26.0

toolchain go1.27.4

require github.com/hack-pad/safejs v0.1.1
