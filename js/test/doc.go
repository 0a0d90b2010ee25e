// Package test drives the built files of dist/ in a real browser, see [Browser],
// against the real service or a scripted one. Begin with [Open] in TestMain, then
// [Suite.Service] and [Suite.Page] in a test.
//
// Nothing here is part of the product. Everything that a test starts ends with
// the test, and a page's error fails a test that did not expect it.
package test
