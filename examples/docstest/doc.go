// Package docstest holds the documents of the project to the truth: their links lead
// somewhere, what they show of the code is what the code says, their Go compiles, and their
// commands work when they are followed from the top.
//
// A fenced block marked sh holds commands for a shell. Those of a document run in their
// order, in one bash that ends where a command fails, in a fresh copy of the tree: those
// of the README of conformance, marketplace, mockpartner or schemas in that folder, others
// in the root. A call of curl fails where it is refused. Addresses such as 127.0.0.1:8080
// are replaced by free ones. conformance, mockpartner and marketplace are on the PATH, and
// go install puts others before them.
//
// How a block is to be taken is said before it in comments, which a reader does not see:
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
// Output is compared without regard to white space, and … stands for anything.
package docstest
