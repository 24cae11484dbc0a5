/** Notices for settings of older designs that name a database, which Daybook does not use. */
import { basename } from 'node:path';

type Values = { readonly [name: string]: string | undefined };

/** The variables that named a database in older designs. */
const DATABASE_VARIABLES = ['PERSISTENCE_DB_PATH', 'INSIGHTS_MCP_DB_PATH'] as const;
const databaseNotice = (name: string, path: string) =>
  `${name} names a database (${path}), but Daybook stores plain files and uses no database. The database was neither opened nor changed. docs/IMPORTING.md shows how to import its content.`;

/** Returns one sentence for the log for each setting that names a database. */
export function databaseNotices(flags: Values, env: Values): readonly string[] {
  const named = DATABASE_VARIABLES.map((name) => [name, env[name]] as const);
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--db-path', flags['dbPath']],
    ...named,
  ];
  return given.flatMap(([name, path]) => (path ? [databaseNotice(name, basename(path))] : []));
}
