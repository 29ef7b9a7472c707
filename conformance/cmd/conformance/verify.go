package main

import (
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/cli"
)

// verification says what verify checks, and by what.
type verification struct {
	authorityFlags
	sum, name string
}

func newVerify() *cobra.Command {
	var v verification
	command := &cobra.Command{
		Use:   "verify [FILE]",
		Short: "Check that a report is unchanged, or that a certificate is valid",
		Long: `Recomputes the SHA-256 of a report.json and compares it with the one in the report.

Anyone who changes a report can also recompute its SHA-256. So pass --sha256 with
the digits that the run printed, from the log of the run. They prove that the report is unchanged, not who
wrote it.

With --registry, verifies a certificate at the marketplace that issued it: by its
public keys and its signed list of revoked certificates. With --name instead of a
file, it verifies the certificates of the partners with that name in the
marketplace's public registry. Names are not unique: compare the address.

With --key, verifies a certificate by the marketplace's public keys: its address
followed by /.well-known/jwks.json, or a copy of that file. Give --revocations too:
its address followed by /registry/revocations.jws, or a copy that is at most a day
old. With copies, nothing is called. A certificate is not valid if one byte of it
was changed, if it was signed with another key, if it has expired, or if it was
revoked.

Exit codes:
  0  unchanged, or valid
  1  changed, not the report that --sha256 names, not valid, or no partner with that name
  2  not a report.json or certificate, or one that cannot be read or verified`,
		Example: "  conformance verify conformance-report/report.json\n  conformance verify report.json --sha256 5f0c...\n" +
			"  conformance verify --registry https://marketplace.example --name \"Boats\"\n  conformance verify certificate.jws --registry https://marketplace.example\n" +
			"  conformance verify certificate.jws --key keys.json --revocations revocations.jws",
		Args: func(command *cobra.Command, args []string) error {
			if v.name != "" && len(args) > 0 {
				return cli.Misuse(errors.New("--name verifies the certificates in the registry: give no file"))
			}
			if v.name != "" {
				return nil
			}
			return cli.Exactly(1, "verify: expected the path of one report or certificate, received %d; 'conformance verify --help' shows examples")(command, args)
		},
		RunE: func(command *cobra.Command, args []string) error {
			if err := v.check(); err != nil {
				return err
			}
			switch {
			case v.name != "":
				return v.verifyName(command, v.name)
			case v.keys != "" || v.registry != "":
				return v.verifyFile(command, args[0])
			}
			return verifyReport(command.OutOrStdout(), args[0], strings.ToLower(v.sum))
		},
	}
	flags := command.Flags()
	flags.StringVar(&v.keys, "key", "", "verify a certificate by the keys in this `file` or at this URL, a JSON Web Key Set")
	flags.StringVar(&v.revocations, "revocations", "", "with --key: the signed list of revoked certificates, a `file` or a URL")
	flags.StringVar(&v.registry, "registry", "", "verify a certificate at the marketplace with this `URL`")
	flags.StringVar(&v.name, "name", "", "with --registry: verify the partners with this `name`")
	flags.StringVar(&v.sum, "sha256", "", "the `digits` that the run printed")
	return command
}

// check returns what is wrong with the flags.
func (v verification) check() error {
	if raw, err := hex.DecodeString(v.sum); err != nil || v.sum != "" && len(raw) != 32 {
		return errors.New("--sha256 is invalid: expected the 64 hexadecimal digits that the run printed")
	}
	switch {
	case v.sum != "" && v.keys != "":
		return errors.New("--key is for certificates and --sha256 is for reports: use one of them")
	case v.sum != "" && v.registry != "":
		return errors.New("--registry is for certificates and --sha256 is for reports: use one of them")
	case v.registry != "" && (v.keys != "" || v.revocations != ""):
		return errors.New("--registry has the keys and the revocations: use it without --key and --revocations")
	case v.name != "" && v.registry == "":
		return errors.New("--name needs --registry, the marketplace's address")
	case v.revocations != "" && v.keys == "":
		return errors.New("--revocations needs --key, the keys that verify them")
	case v.registry != "":
		if err := checkAddress(v.registry); err != nil {
			return fmt.Errorf("--registry is invalid: %w", err)
		}
	}
	return nil
}

// verifyReport recomputes the SHA-256 of a report.json. sum are the digits that the run printed, or "".
func verifyReport(out io.Writer, path, sum string) error {
	v, err := report.Verify(path)
	if err != nil {
		return err
	}
	verdict := "unchanged"
	if v.WasChanged() {
		verdict = "changed"
	}
	say(out, "%s: %s", verdict, path)
	if sum != "" && sum != v.SHA256 {
		verdict = "another"
		say(out, "  not the report that --sha256 names")
	}
	say(out, "SHA-256   %s", v.SHA256)
	say(out, "verdict   %s of %s, %s", v.Result.Verdict, v.Result.Target.BaseURL, v.Result.StartedAt.UTC().Format(time.RFC3339))
	say(out, "versions  suite %s, contract %s", v.Result.SuiteVersion, v.Result.ContractVersion)
	if sum == "" {
		say(out, "Compare the SHA-256 with the one that the run printed. It shows that the report is unchanged, not who wrote it.")
	}
	if verdict != "unchanged" {
		return cli.Exit{Code: exitChanged}
	}
	return nil
}
