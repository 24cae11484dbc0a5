/** The sources of the configuration. find-settings.ts decides which source a setting comes from. */

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
