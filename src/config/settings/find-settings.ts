/**
 * Finds the value of each setting in the first source that has one (flag, environment variable,
 * configuration file), and checks all values with the schema.
 */
import { type Setting, settingError } from './define-setting.js';
import { SETTING_NAMES, SETTINGS, type SettingName, type SettingValues } from './settings.js';
import { parseFile } from './settings-file.js';

export interface ConfigSources {
  /** The values of command-line flags by setting name. `dbPath` only causes a notice. */
  readonly flags?: { readonly [name: string]: string | undefined };
  readonly env?: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly home?: string;
  readonly platform?: string;
  /** The valid names in the setting `toolsets`. */
  readonly knownToolsets: readonly string[];
  /** Returns the text of a file; `undefined` if there is no such file. */
  readFile(path: string): string | undefined;
  /**
   * Returns the path without links of a folder that the user configured. Daybook follows no links below such
   * a folder, so its own links are resolved here, once. If omitted, paths are not changed.
   */
  realPath?(path: string): string;
}

type Source = 'flag' | 'environment' | 'file';
/** A value as the user gave it, and the name of the flag, variable or file entry. */
interface Given {
  readonly value: unknown;
  readonly name: string;
  readonly source: Source;
}
export type FoundSettings = { readonly [K in SettingName]?: Given };

/** VALIDATION_ERROR if the configuration file is not valid. */
export function findSettings(
  flags: NonNullable<ConfigSources['flags']>,
  env: NonNullable<ConfigSources['env']>,
  configFile: string,
  fileText: string | undefined,
): FoundSettings {
  const file = parseFile(fileText, configFile);
  const found: { [K in SettingName]?: Given } = {};
  for (const key of SETTING_NAMES) {
    const { env: variables, flag }: Setting = SETTINGS[key];
    const variable = variables.find((name) => hasValue(env[name]));
    if (flag !== undefined && flags[key] !== undefined) {
      found[key] = { value: flags[key], name: flag, source: 'flag' };
    } else if (variable !== undefined) {
      found[key] = { value: env[variable], name: variable, source: 'environment' };
    } else if (Object.hasOwn(file, key)) {
      found[key] = { value: file[key], name: `"${key}" in ${configFile}`, source: 'file' };
    }
  }
  return found;
}

/**
 * Whether a variable has a value. Programs that install MCP bundles give a variable its placeholder from
 * mcpb/manifest.json if the user left the field empty.
 */
const hasValue = (text = ''): boolean =>
  text.trim() !== '' && !/^\$\{user_config\.\w+\}$/.test(text);

/** Returns the text with user name, password and query of a URL masked, so that it can be shown. */
const withoutPassword = (text: string): string =>
  text.replace(/(?<=:\/\/)[^/?#]*@/, '***@').replace(/(?<=:\/\/[^?]*\?)[^"]+/, '***');

/** Returns the found settings, without secrets, as the text of a `config.json`. */
export function settingsText(found: FoundSettings): string {
  const shown = SETTING_NAMES.flatMap((name) => {
    const value = found[name]?.value;
    if (value === undefined || 'secret' in SETTINGS[name]) return [];
    return [[name, value]];
  });
  return `${JSON.stringify(Object.fromEntries(shown), null, 2)}\n`;
}

/** Returns all settings with their defaults. VALIDATION_ERROR with the setting and its valid values. */
export function checkSettings(found: FoundSettings): SettingValues {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [name, checkedValue(name, found[name])]),
  ) as SettingValues;
}

function checkedValue(name: SettingName, given: Given | undefined): unknown {
  const { schema, default: byDefault, takes, secret, isHidden }: Setting = SETTINGS[name];
  if (given === undefined) return byDefault;
  // Without compilation (JIT), because a schema is used once and compiling it takes longer than the check.
  const parsed = schema().safeParse(given.value, { jitless: true });
  if (parsed.success) return parsed.data;
  const value =
    secret || isHidden ? 'the given value' : withoutPassword(JSON.stringify(given.value));
  const problem = `${given.name} must be ${takes}, not ${value}.`;
  throw settingError(problem, { setting: name, takes });
}
