// Package docstest tests the project's documents: their links work, what they name exists, generated
// sections match the code, their Go compiles, and their commands work when executed from the top.
//
// A fenced block marked sh contains shell commands. The blocks of a document run in order in one
// bash, which stops at the first failing command. They run in a fresh copy of the tree: in the
// module's folder for the README of conformance, marketplace, mockpartner, octobridge or schemas, and
// in the root for other documents. A curl call fails if the server refuses the request. Addresses such as
// 127.0.0.1:8080 are replaced by free ones. The PATH contains conformance, mockpartner,
// marketplace and octobridge; programs that go install installs take precedence.
//
// HTML comments before a block, invisible to readers, control how it is tested:
//
//	<!-- docs-test: needs marketplace, mock -->           these services run from here on; directive_test.go has their commands
//	<!-- docs-test: check only: it installs things -->    not run
//	<!-- docs-test: from here check only: … -->           not run, nor are the following blocks
//	<!-- docs-test: keeps running at 127.0.0.1:8081 -->   runs until another one has this address, or the document ends
//	<!-- docs-test: keeps running and exports TOKEN -->   the same; variables that it prints as export NAME=… are exported
//	<!-- docs-test: exits 1 -->                           the exit code of the block; that of a refused curl is 22
//	<!-- docs-test: file my-scenario.yaml -->             the block, in any language, is the content of this file from here on
//	<!-- docs-test: output -->                            the block, text or json, is the output of the commands before it
//	<!-- docs-test: imports a/b given c d -->             the Go block compiles with these packages and variables; … stands for omitted code
//	<!-- docs-test: followed by dir/some_test.go -->      that test covers the whole document instead of this package
//
// The comparison of output ignores white space, and … matches anything.
package docstest
