// Package docstest holds the documents of the project to the truth: their links lead
// somewhere, the files, commands, flags and make targets that they name are there, and
// their commands work when they are followed from the top.
//
// A fenced block marked sh holds commands for a shell. Those of a document run in their
// order, in one bash that ends where a command fails, in a fresh copy of the tree: those
// of the README of conformance, marketplace, mockpartner or schemas in that folder, others
// in the root. A call of curl fails where it is refused. Addresses such as 127.0.0.1:8080 are replaced by free ones.
// conformance, mockpartner and marketplace are on the PATH, and go install puts others
// before them. What a reader does not see says how a block is to be taken, in comments
// on lines of their own before it:
//
//	<!-- docs-test: needs marketplace, mock -->       from here on they run: as service.go starts them
//	<!-- docs-test: check only: it installs things --> not run; its commands and flags are checked
//	<!-- docs-test: from here check only: … -->       so are all blocks after it: a test of their own runs them
//	<!-- docs-test: keeps running at 127.0.0.1:8081 -->  runs until the document ends; the next block waits for the address
//	<!-- docs-test: exits 1 -->                       the block ends with this code; a refused curl's is 22
//	<!-- docs-test: file my-scenario.yaml -->         the block, of any kind, is what is in this file from here on
//	<!-- docs-test: output -->                        the block, text or json, is what the commands before it print
//
// Output is compared without regard to white space, and … stands for anything.
package docstest
