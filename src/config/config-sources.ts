/** What the configuration is read from. */

export interface ConfigSources {
  /** Values of command-line flags by setting name; `dbPath` is recognised and explained. */
  readonly flags?: { readonly [name: string]: string | undefined };
  readonly env?: { readonly [name: string]: string | undefined };
  readonly cwd: string;
  readonly home?: string;
  readonly platform?: string;
  /** The names that `toolsets` may hold. */
  readonly knownToolsets: readonly string[];
  /** Text of a file, `undefined` when there is none. */
  readFile(path: string): string | undefined;
  /**
   * The path without links of a place that the user named. Below such places Daybook follows no
   * link, so they are resolved once, here. Left out: as they are.
   */
  realPath?(path: string): string;
}
