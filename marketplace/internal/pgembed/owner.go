//go:build unix

package pgembed

import (
	"errors"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// owner is the user that the server runs as.
type owner struct {
	name    string
	account *syscall.Credential // nil: the service's user
}

// unprivilegedUsers are the users that run PostgreSQL for root. The first that exists is used.
var unprivilegedUsers = []string{"postgres", "nobody"}

// serverOwner returns the server's user: the service's own, or a servant for root.
func serverOwner() (owner, error) {
	if os.Geteuid() != 0 {
		return owner{}, nil
	}
	for _, name := range unprivilegedUsers {
		account, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, errUID := strconv.ParseUint(account.Uid, 10, 32)
		gid, errGID := strconv.ParseUint(account.Gid, 10, 32)
		if err := errors.Join(errUID, errGID); err != nil {
			continue // the system has no numeric user ids
		}
		return owner{name: name, account: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid), Groups: []uint32{}}}, nil
	}
	return owner{}, errors.New("PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it: start the service as another user, or set MARKETPLACE_DATABASE_URL")
}

// process runs a child as the owner, without the terminal's signals.
func (o owner) process() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Credential: o.account, Setpgid: true}
}

// makeOwnFolder creates a folder that only the server's user and root can open. Where others may
// create files too, as in /tmp, their folder or link with that name is refused.
func (o owner) makeOwnFolder(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	found, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !found.IsDir() || !o.owns(found) {
		return fmt.Errorf("%s is not a folder of this user: remove it", dir)
	}
	if o.account == nil {
		return os.Chmod(dir, 0o700)
	}
	return errors.Join(os.Chmod(dir, 0o700), os.Chown(dir, int(o.account.Uid), int(o.account.Gid)))
}

// owns reports whether a file belongs to the server's user or to the service's.
func (o owner) owns(file os.FileInfo) bool {
	stat, ok := file.Sys().(*syscall.Stat_t)
	return !ok || int(stat.Uid) == os.Geteuid() || o.account != nil && stat.Uid == o.account.Uid
}

// reaches returns an error that names the first folder above dir that the server's user cannot
// pass.
func (o owner) reaches(dir string) error {
	if o.account == nil {
		return nil
	}
	var above []string
	for folder := filepath.Dir(dir); ; folder = filepath.Dir(folder) {
		above = append(above, folder)
		if folder == filepath.Dir(folder) {
			break
		}
	}
	for i := len(above) - 1; i >= 0; i-- {
		info, err := os.Stat(above[i])
		if err != nil {
			return err
		}
		if !o.passes(info) {
			return fmt.Errorf("PostgreSQL runs as the user %s, which cannot access %s: allow it (chmod o+x), or choose another data folder with MARKETPLACE_DATA_DIR", o.name, above[i])
		}
	}
	return nil
}

// passes reports by the mode bits whether the user may pass through a folder.
func (o owner) passes(folder os.FileInfo) bool {
	stat, ok := folder.Sys().(*syscall.Stat_t)
	if !ok {
		return true // on other systems the server itself reports it
	}
	bit := os.FileMode(0o001)
	switch {
	case stat.Uid == o.account.Uid:
		bit = 0o100
	case stat.Gid == o.account.Gid:
		bit = 0o010
	}
	return folder.Mode().Perm()&bit != 0
}
