// Package test drives the built files of dist/ in a real browser, see [Browser],
// against the real service or a scripted one. Begin with [Open] in TestMain, then
// [Suite.Service] and [Suite.Page] in a test.
//
// Nothing here is part of the product. All that a test starts ends with it, and
// what a page reports as an error fails the test that did not expect it.
package test
