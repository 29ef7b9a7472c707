#!/bin/sh
# dpkg passes "remove" and rpm 0 when the package goes; an upgrade passes something else.
set -e
case "$1" in
remove | 0)
	if [ -z "${DPKG_ROOT-}" ] && [ -d /run/systemd/system ]; then
		systemctl disable --now marketplace.service
	fi
	;;
esac
