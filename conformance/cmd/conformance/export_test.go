package main

// Execute runs the command in a test's own process.
var Execute = execute
