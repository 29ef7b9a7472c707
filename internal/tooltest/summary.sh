#!/bin/sh
# Prints the last lines of `make test`: what failed in the output of go test, and how many tests
# package tooltest has skipped, why, and how to install what they need.
#
#   summary.sh OUTPUT SKIPPED
if failed=$(grep -E '^( *--- FAIL: |FAIL	)' "$1"); then
	printf '\nFAIL:\n%s\n' "$failed"
fi
[ -s "$2" ] || exit 0
printf '\nTests that were skipped, by what they need: %d\n' "$(grep -c '' "$2")"
sort "$2" | uniq -c | sort -k1,1nr -k2
packages=$(sed -n 's/^.*: install //p' "$2" | tr ' ' '\n' | sort -u | paste -sd ' ' -)
[ -z "$packages" ] || echo "To run all of them: sudo apt-get install $packages"
