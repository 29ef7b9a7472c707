#!/bin/sh
# The service is not started by an installation: it needs its first operator's password.
# An upgrade restarts it where it runs.
set -e
if [ -z "${DPKG_ROOT-}" ] && [ -d /run/systemd/system ]; then
	systemctl daemon-reload
	systemctl try-restart marketplace.service
fi
