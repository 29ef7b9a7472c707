// Package docstest tests the project's documents: their links work, generated sections match the
// code, their Go compiles, and their commands work when executed from the top.
//
// A fenced block marked sh contains shell commands. The blocks of a document run in order in one
// bash, which stops at the first failing command. They run in a fresh copy of the tree: in the
// module's folder for the README of conformance, marketplace, mockpartner or schemas, and in the
// root for other documents. A curl call fails if the server refuses the request. Addresses such as
// 127.0.0.1:8080 are replaced by free ones. The PATH contains conformance, mockpartner and
// marketplace; programs that go install installs take precedence.
//
// HTML comments before a block, invisible to readers, control how it is tested:
//
//	<!-- docs-test: needs marketplace, mock -->           they run from here on, as directive.go starts them
//	<!-- docs-test: check only: it installs things -->    not run
//	<!-- docs-test: from here check only: … -->           nor are the blocks after it
//	<!-- docs-test: keeps running at 127.0.0.1:8081 -->   runs until another one has this address, or the document ends
//	<!-- docs-test: keeps running and exports TOKEN -->   the same; what it prints as export NAME=… is exported
//	<!-- docs-test: exits 1 -->                           the block ends with this code; a refused curl's is 22
//	<!-- docs-test: file my-scenario.yaml -->             the block, of any kind, is what is in this file from here on
//	<!-- docs-test: output -->                            the block, text or json, is what the commands before it print
//	<!-- docs-test: imports a/b given c d -->             the block, of Go, compiles with these packages and variables; … is left to the reader
//	<!-- docs-test: followed by dir/some_test.go -->      the whole document is followed by that test, and not by this package
//
// The comparison of output ignores white space, and … matches anything.
package docstest
