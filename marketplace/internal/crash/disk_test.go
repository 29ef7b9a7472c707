//go:build linux

package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// disk is a server's own file system, so that it can be filled.
type disk struct{ folder string }

// diskSize is the size of a disk, in bytes.
const diskSize = 768 << 20

// newDisk mounts a file system in memory on a folder, or returns nil if this process may not.
func newDisk(t *testing.T, folder string) *disk {
	t.Helper()
	if err := syscall.Mount("tmpfs", folder, "tmpfs", 0, fmt.Sprintf("size=%d,mode=0755", diskSize)); err != nil {
		t.Logf("no disk is filled: a file system cannot be mounted here (%v); run as root where mounts are permitted", err)
		return nil
	}
	t.Cleanup(func() { check(t, syscall.Unmount(folder, syscall.MNT_DETACH)) })
	return &disk{folder}
}

func (d *disk) filler() string { return filepath.Join(d.folder, "filler") }

// fill fills the disk completely.
func (d *disk) fill() error {
	file, err := os.Create(d.filler())
	if err != nil {
		return err
	}
	defer file.Close()
	for at, step := int64(0), int64(64<<20); step >= 4<<10; {
		switch err := syscall.Fallocate(int(file.Fd()), 0, at, step); err {
		case nil:
			at += step
		case syscall.ENOSPC:
			step /= 2
		case syscall.EINTR:
		default:
			return err
		}
	}
	return nil
}

func (d *disk) removeFiller() error { return os.Remove(d.filler()) }
