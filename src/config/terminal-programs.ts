/**
 * The pager and the editor that the command line starts, from the environment.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the shell command of the pager (`undefined`: no pager) and its environment. */
export function pagerSettings(env: Environment = process.env): {
  readonly command: string | undefined;
  readonly env: Environment;
} {
  const chosen = env['DAYBOOK_PAGER'] ?? env['PAGER'];
  const isNone = chosen === '' || chosen === 'cat' || env['TERM'] === 'dumb';
  const command = chosen ?? (process.platform === 'win32' ? 'more' : 'less -R');
  // The same as git: `less` shows colours, and ends at once if the text fits on the screen.
  return { command: isNone ? undefined : command, env: { LESS: 'FRX', ...env } };
}

/** Returns the shell command of the editor, without the path of the file. */
export function editorCommand(env: Environment = process.env): string {
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  return env['VISUAL'] || env['EDITOR'] || fallback;
}
