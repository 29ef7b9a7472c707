package apidocs

import (
	"bytes"
	"compress/gzip"
	"flag"
	"os"
	"testing"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/npmtest"
)

// check ends the test on an error.
var check = errtest.Check

// scalar is the package that page/scalar.js.gz comes from. To replace it, change this and run
//
//	go test ./internal/apidocs -run Scalar -update
var scalar = npmtest.Package{
	Name: "@scalar/api-reference", Version: "1.72.1",
	Sum: "XpEJ0rfc/cXbCrR+iC4kK0o/WwX2dTtGQbT049OlPKAHD6IMIFdTeGz2r+M27P2EDWKyUITRm/NzlP8z2pw/Ow==",
}

var update = flag.Bool("update", false, "write page/scalar.js.gz")

func TestScalarIsTheFileOfItsPackage(t *testing.T) {
	t.Parallel()
	want := scalar.Read(t, "dist/browser/standalone.js")
	if *update {
		var packed bytes.Buffer
		w, err := gzip.NewWriterLevel(&packed, gzip.BestCompression)
		check(t, err)
		if _, err := w.Write(want); err != nil {
			t.Fatal(err)
		}
		check(t, w.Close())
		check(t, os.WriteFile("page/scalar.js.gz", packed.Bytes(), 0o644))
		return
	}
	packed, err := own.ReadFile("page/scalar.js.gz")
	check(t, err)
	got, err := unpack(packed)
	check(t, err)
	if !bytes.Equal(got, want) {
		t.Errorf("expected the %d bytes of %s %s, received %d other bytes", len(want), scalar.Name, scalar.Version, len(got))
	}
}
