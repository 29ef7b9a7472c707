//go:build linux

package crash

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// network is a network of machines: namespaces of the kernel, which need no rights. Machine 0 has the address
// 10.0.0.10, the others have 10.0.0.1 and so on. Each can be cut off. All files are shared. All processes
// in it end with the test.
type network struct {
	account *syscall.Credential
	in      io.Writer
	out     *bufio.Reader
	names   []string // of each machine's namespace
	holders []int    // the process of each machine that keeps it
}

// makeNetwork makes a network of $1 machines, and then cuts or connects them: it reads lines such as "2 down".
const makeNetwork = `set -e
ip link set lo up
ip link add machines type bridge
ip addr add 10.0.0.10/24 dev machines
ip link set machines up
readlink /proc/self/ns/net
for n in $(seq $1); do
	exec {out}< <(exec unshare --net bash -c "
		readlink /proc/self/ns/net
		ip link set lo up
		until ip link set eth0 up 2>/dev/null; do sleep 0.05; done
		ip addr add 10.0.0.$n/24 dev eth0
		exec sleep infinity")
	machine=$!
	read -r -u $out name
	ip link add link$n type veth peer name eth0 netns $machine
	ip link set link$n master machines up
	echo $name
done
while read -r n state; do
	ip link set link$n $state
	echo $state
done`

func newNetwork(t *testing.T, machines int) *network {
	t.Helper()
	tooltest.Require(t, tooltest.Namespaces)
	n := &network{account: databaseUser(t)}
	shell := exec.Command("unshare", "--user", "--map-root-user", "--net", "--pid", "--mount-proc", "--fork", "--kill-child", "bash", "-c", makeNetwork, "network", strconv.Itoa(machines))
	shell.Dir, shell.Stderr = os.TempDir(), os.Stderr
	shell.SysProcAttr = &syscall.SysProcAttr{Credential: n.account}
	in, err := shell.StdinPipe()
	check(t, err)
	out, err := shell.StdoutPipe()
	check(t, err)
	n.in, n.out = in, bufio.NewReader(out)
	gone, err := startProcess(shell, syscall.SIGKILL)
	check(t, err)
	t.Cleanup(func() { _ = shell.Process.Kill(); <-gone })
	for range machines + 1 {
		name, err := n.out.ReadString('\n')
		check(t, err)
		n.names = append(n.names, strings.TrimSpace(name))
	}
	for machine := range n.names {
		n.holders = append(n.holders, n.processes(machine)[0])
	}
	return n
}

// processes returns the processes of a machine, except for the one that keeps it.
func (n *network) processes(machine int) (ids []int) {
	outside, _ := os.Readlink("/proc/self/ns/pid")
	links, _ := filepath.Glob("/proc/[0-9]*/ns/net") // the pattern is valid
	for _, link := range links {
		if name, err := os.Readlink(link); err != nil || name != n.names[machine] {
			continue // it has ended, or it is of another machine
		}
		if inside, err := os.Readlink(filepath.Join(filepath.Dir(link), "pid")); err != nil || inside == outside {
			continue // it has started one that is inside, and waits for that
		}
		id, err := strconv.Atoi(strings.Split(link, "/")[2])
		if err == nil && (machine >= len(n.holders) || id != n.holders[machine]) {
			ids = append(ids, id)
		}
	}
	return ids
}

// signal sends a signal to all processes of a machine.
func (n *network) signal(machine int, signal syscall.Signal) {
	for _, id := range n.processes(machine) {
		_ = syscall.Kill(id, signal) // it may have ended
	}
}

// link cuts a machine off, or connects it again.
func (n *network) link(machine int, up bool) error {
	state := "down"
	if up {
		state = "up"
	}
	if _, err := fmt.Fprintln(n.in, machine, state); err != nil {
		return err
	}
	_, err := n.out.ReadString('\n')
	return err
}

// command returns a command that runs on a machine, as an unprivileged user.
func (n *network) command(machine int, name string, args ...string) *exec.Cmd {
	user, group := os.Geteuid(), os.Getegid()
	if n.account != nil {
		user, group = int(n.account.Uid), int(n.account.Gid)
	}
	inside := []string{"--target", strconv.Itoa(n.holders[machine]), "--user", "--net", "--pid", "--mount", "--preserve-credentials",
		"unshare", "--user", "--map-user=" + strconv.Itoa(user), "--map-group=" + strconv.Itoa(group), name}
	command := exec.Command("nsenter", append(inside, args...)...)
	command.Dir = os.TempDir()
	command.SysProcAttr = &syscall.SysProcAttr{Credential: n.account}
	return command
}
