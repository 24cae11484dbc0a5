/**
 * The programs that the command line starts for people, from the environment: the pager and the
 * editor.
 */

type Environment = Readonly<Record<string, string | undefined>>;

/** A command for the shell; `undefined`: no pager. */
export function pagerSettings(env: Environment = process.env): {
  readonly command: string | undefined;
  readonly env: Environment;
} {
  const chosen = env['DAYBOOK_PAGER'] ?? env['PAGER'];
  const isNone = chosen === '' || chosen === 'cat' || env['TERM'] === 'dumb';
  const command = chosen ?? (process.platform === 'win32' ? 'more' : 'less -R');
  // As git does: colours are shown, and what fits on the screen ends at once.
  return { command: isNone ? undefined : command, env: { LESS: 'FRX', ...env } };
}

/** A command for the shell, to which the path of a file is added. */
export function editorCommand(env: Environment = process.env): string {
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  return env['VISUAL'] || env['EDITOR'] || fallback;
}
