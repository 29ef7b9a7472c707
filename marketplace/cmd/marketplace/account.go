package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/internal/cli"
	"partnerkit.dev/internal/safetext"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
)

func newAccount() *cobra.Command {
	command := &cobra.Command{Use: "account", Short: "Accounts and their tokens", Example: "  marketplace account list"}
	command.AddCommand(newAccountCreate(), newAccountList(), newAccountToken())
	return command
}

func newAccountCreate() *cobra.Command {
	var s storage
	var asked domain.NewAccount
	command := &cobra.Command{
		Use:   "create --email ADDRESS --role ROLE",
		Short: "Create an account",
		Long: `Creates an account. Its password is the first line of standard input. It works
while the service runs, and while it does not.`,
		Example: `  marketplace account create --email ana@example.com --role operator < password.txt`,
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			password, err := firstLine(command.InOrStdin())
			if err != nil {
				return err
			}
			asked.Password = password
			made, err := create(command.Context(), s, asked)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "created %s %s, %s\n", made.Role, made.Email, made.ID)
			return err
		},
	}
	s.register(command)
	command.Flags().StringVar(&asked.Email, "email", "", "the account's `address`")
	command.Flags().StringVar((*string)(&asked.Role), "role", "", "reseller, affiliate, partner or operator")
	command.Flags().StringVar(&asked.Name, "name", "", "the account's `name`, for people")
	return command
}

func newAccountList() *cobra.Command {
	var s storage
	var role string
	command := &cobra.Command{
		Use:   "list",
		Short: "List the accounts",
		Long: `Lists the accounts, the oldest first: role, address, id, when it was created, whether it
may sign in, and its name. It works whether the service runs or not.`,
		Example: `  marketplace account list
  marketplace account list --role reseller`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if role != "" && !slices.Contains([]domain.Role{domain.Reseller, domain.Affiliate, domain.Partner, domain.Operator}, domain.Role(role)) {
				return cli.Misuse(fmt.Errorf("--role: expected reseller, affiliate, partner or operator, received %.20q", role))
			}
			return withStore(command.Context(), s, func(store *postgres.Store) error {
				return listAccounts(command.Context(), store, domain.Role(role), command.OutOrStdout())
			})
		},
	}
	s.register(command)
	command.Flags().StringVar(&role, "role", "", "only accounts with this `role`: reseller, affiliate, partner or operator")
	return command
}

const accountsAtOnce = 500

func listAccounts(ctx context.Context, store *postgres.Store, role domain.Role, out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "ROLE\tADDRESS\tID\tCREATED\tSTATE\tNAME")
	for asked := (domain.PageRequest{Size: accountsAtOnce}); ; {
		accounts, err := store.Accounts.List(ctx, role, "", asked)
		if err != nil {
			return err
		}
		for _, a := range accounts.Entries {
			state := "active"
			if a.DisabledAt != nil {
				state = "disabled"
			}
			fmt.Fprintf(table, "%s\t%s\t%s\t%s\t%s\t%s\n", a.Role, a.Email, a.ID, a.CreatedAt.UTC().Format(time.DateTime), state, safetext.Line(a.Name))
		}
		if asked.After = accounts.Next; asked.After == nil {
			return table.Flush()
		}
	}
}

func newAccountToken() *cobra.Command {
	var s storage
	var email string
	var asked domain.NewAPIToken
	command := &cobra.Command{
		Use:   "token --email ADDRESS --name NAME",
		Short: "Create a reseller's API token",
		Long: `Creates a long-lived API token for a reseller, for the header x-api-token, and prints it. It
is stored as a hash, and cannot be shown again. It works while the service runs, and while
it does not.`,
		Example: `  marketplace account token --email shop@example.com --name "web shop" > token.txt`,
		Args:    noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := domain.Check(&asked); err != nil {
				return byFlag(err)
			}
			ctx, token := command.Context(), ""
			err := withStore(ctx, s, func(store *postgres.Store) (err error) {
				token, err = addToken(ctx, store, email, asked)
				return err
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), token)
			return err
		},
	}
	s.register(command)
	command.Flags().StringVar(&email, "email", "", "the reseller's `address`")
	command.Flags().StringVar(&asked.Name, "name", "", "what the token is for, for people")
	return command
}

func addToken(ctx context.Context, store *postgres.Store, email string, asked domain.NewAPIToken) (string, error) {
	account, err := store.Accounts.AccountByEmail(ctx, domain.NormalEmail(email))
	if domain.CodeOf(err) == domain.NotFound || err == nil && account.Role != domain.Reseller {
		return "", fmt.Errorf("--email: no reseller has the address %q", email)
	}
	if err != nil {
		return "", err
	}
	made, text, err := auth.NewAPIToken(account.ID, asked, time.Now())
	if err != nil {
		return "", err
	}
	return text, store.Accounts.AddAPIToken(ctx, made, auth.HashToken(text), domain.Reseller)
}

// longestLine limits the password that is read, in bytes.
const longestLine = 4 << 10

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, longestLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from the standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func create(ctx context.Context, s storage, asked domain.NewAccount) (made domain.Account, err error) {
	if err := domain.Check(&asked); err != nil {
		return made, byFlag(err)
	}
	if made, err = auth.NewAccount(asked, time.Now()); err != nil {
		return made, err
	}
	err = withStore(ctx, s, func(store *postgres.Store) error { return store.Accounts.CreateAccount(ctx, made) })
	if domain.CodeOf(err) == domain.Conflict {
		err = fmt.Errorf("--email: an account with the address %s exists already; see account list", made.Email)
	}
	return made, err
}

// byFlag is withDetails for flags. The password has no flag.
func byFlag(err error) error {
	mistaken := (*domain.Error)(nil)
	if !errors.As(err, &mistaken) || len(mistaken.Details) == 0 {
		return err
	}
	lines := make([]string, len(mistaken.Details))
	for i, detail := range mistaken.Details {
		lines[i] = "--" + detail
		if strings.HasPrefix(detail, "password:") {
			lines[i] = "standard input: " + detail
		}
	}
	return cli.Misuse(errors.New(strings.Join(lines, "\n")))
}

// withDetails returns every mistake of a request, one on each line.
func withDetails(err error) error {
	mistaken := (*domain.Error)(nil)
	if !errors.As(err, &mistaken) || len(mistaken.Details) == 0 {
		return err
	}
	return errors.New(strings.Join(mistaken.Details, "\n"))
}
