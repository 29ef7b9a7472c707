package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"partnerkit.dev/marketplace"
	"partnerkit.dev/marketplace/postgres"
	"partnerkit.dev/marketplace/signin"
)

func newAccount() *cobra.Command {
	command := &cobra.Command{Use: "account", Short: "Make accounts"}
	command.AddCommand(newAccountCreate())
	return command
}

func newAccountCreate() *cobra.Command {
	var s storage
	var asked marketplace.NewAccount
	command := &cobra.Command{
		Use:   "create --email ADDRESS --role ROLE",
		Short: "Make an account",
		Long: `Makes an account; its password is the first line of the standard input. It works
while the service runs, and while it does not.`,
		Example: `  marketplace account create --email ana@example.com --role operator < password.txt`,
		Args:    cobra.NoArgs,
		RunE: func(command *cobra.Command, _ []string) error {
			if err := joined(s.mistakes()); err != nil {
				return err
			}
			password, err := firstLine(command.InOrStdin())
			if err != nil {
				return err
			}
			asked.Password = password
			made, err := create(command.Context(), s, asked)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(command.OutOrStdout(), "made the %s %s, %s\n", made.Role, made.Email, made.ID)
			return err
		},
	}
	s.register(command)
	command.Flags().StringVar(&asked.Email, "email", "", "the account's `address`")
	command.Flags().StringVar((*string)(&asked.Role), "role", "", "reseller, affiliate, partner or operator")
	command.Flags().StringVar(&asked.Name, "name", "", "the account's `name`, for people")
	return command
}

// longestLine bounds the password that is read, in bytes.
const longestLine = 4 << 10

func firstLine(in io.Reader) (string, error) {
	line, err := bufio.NewReader(io.LimitReader(in, longestLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password from the standard input: %w", err)
	}
	return strings.TrimRight(line, "\r\n"), nil
}

func create(ctx context.Context, s storage, asked marketplace.NewAccount) (made marketplace.Account, err error) {
	if err := marketplace.Check(&asked); err != nil {
		return made, withDetails(err)
	}
	if made, err = signin.NewAccount(asked, time.Now()); err != nil {
		return made, err
	}
	return made, withStore(ctx, s, func(store *postgres.Store) error { return store.CreateAccount(ctx, made) })
}

// withDetails says every mistake of a request, a line each.
func withDetails(err error) error {
	mistaken := (*marketplace.Error)(nil)
	if !errors.As(err, &mistaken) || len(mistaken.Details) == 0 {
		return err
	}
	return errors.New(strings.Join(mistaken.Details, "\n"))
}
