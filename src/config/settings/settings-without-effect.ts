/**
 * Notices about environment variables without effect: mistyped names, and databases that earlier designs used.
 * settings-file.ts refuses an unknown name in the configuration file.
 */
import { basename } from 'node:path';
import { mistypedName } from '../similar-names.js';
import type { Setting } from './define-setting.js';
import { SETTINGS } from './settings.js';

type Values = { readonly [name: string]: string | undefined };

/** The variables that named a database in older designs. */
const DATABASE_VARIABLES = ['PERSISTENCE_DB_PATH', 'INSIGHTS_MCP_DB_PATH'] as const;
const databaseNotice = (name: string, path: string) =>
  `${name} names a database (${path}), but Daybook stores plain files and uses no database. The database was neither opened nor changed. docs/IMPORTING.md shows how to import its content.`;

const PREFIX = 'DAYBOOK_';

/** Returns one sentence for the log for each setting without effect. */
export const settingNotices = (flags: Values, env: Values): readonly string[] => [
  ...databaseNotices(flags, env),
  ...mistypedNotices(env),
];

function databaseNotices(flags: Values, env: Values): readonly string[] {
  const named = DATABASE_VARIABLES.map((name) => [name, env[name]] as const);
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--db-path', flags['dbPath']],
    ...named,
  ];
  return given.flatMap(([name, path]) => (path ? [databaseNotice(name, basename(path))] : []));
}

/** A variable that resembles no setting may belong to the user's own programs. */
function mistypedNotices(env: Values): readonly string[] {
  const settings: readonly Setting[] = Object.values(SETTINGS);
  const known = new Set(settings.flatMap((each) => each.env));
  const unknown = Object.keys(env).filter((name) => name.startsWith(PREFIX) && !known.has(name));
  return unknown.flatMap((name) => {
    const meant = mistypedName(name, [...known]);
    return meant === undefined
      ? []
      : [
          `The variable ${name} has no effect, because no setting has this name. Similar: ${meant}.`,
        ];
  });
}
