package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
)

func newMigrate() *cobra.Command {
	var s storage
	command := &cobra.Command{
		Use:   "migrate",
		Short: "Bring the database's tables up to date",
		Long: `Brings the database's tables up to date, as serve does when it starts. Replicas that
start at the same time wait for one of them to do it.`,
		Example: `  marketplace migrate
  marketplace migrate --database-url postgres://user@host/name`,
		Args: noArguments,
		RunE: func(command *cobra.Command, _ []string) error {
			db, err := openDatabase(command.Context(), s)
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(command.OutOrStdout(), "the database is up to date")
			return errors.Join(err, db.close(context.WithoutCancel(command.Context())))
		},
	}
	s.register(command)
	return command
}
