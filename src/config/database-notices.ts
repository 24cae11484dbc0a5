/** Settings of the older designs that name a database: they are recognised and explained. */
import { basename } from 'node:path';

type Values = { readonly [name: string]: string | undefined };

/** Variables that named a database in older designs; Daybook opens none of them. */
const DATABASE_VARIABLES = ['PERSISTENCE_DB_PATH', 'INSIGHTS_MCP_DB_PATH'] as const;
const databaseNotice = (name: string, path: string) =>
  `${name} names a database (${path}), but Daybook stores plain files and uses no database. The database was neither opened nor changed. docs/IMPORTING.md shows how to import its content.`;

/** Sentences for the log: one for each setting that names a database. */
export function databaseNotices(flags: Values, env: Values): readonly string[] {
  const named = DATABASE_VARIABLES.map((name) => [name, env[name]] as const);
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--db-path', flags['dbPath']],
    ...named,
  ];
  return given.flatMap(([name, path]) => (path ? [databaseNotice(name, basename(path))] : []));
}
