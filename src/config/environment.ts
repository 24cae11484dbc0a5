/**
 * The parts of the environment that are no settings of Daybook: the pager, the editor, the size of
 * Node's thread pool, and the telemetry of ONNX Runtime.
 */

/** Returns the shell command of the pager (`undefined`: no pager) and its environment. */
export function pagerSettings() {
  const { env } = process;
  const chosen = env['DAYBOOK_PAGER'] ?? env['PAGER'];
  const isNone = chosen === '' || chosen === 'cat' || env['TERM'] === 'dumb';
  const command = chosen ?? (process.platform === 'win32' ? 'more' : 'less -R');
  // The same as git: `less` shows colours, and ends at once if the text fits on the screen.
  return { command: isNone ? undefined : command, env: { LESS: 'FRX', ...env } };
}

/** Returns the shell command of the editor, without the path of the file. */
export function editorCommand(): string {
  const { VISUAL, EDITOR } = process.env;
  const fallback = process.platform === 'win32' ? 'notepad' : 'vi';
  return VISUAL || EDITOR || fallback;
}

/**
 * Lets more file operations run at the same time, unless the user has set the size. Call it before the first
 * asynchronous file operation.
 */
export function growThreadPool(threads: number): void {
  process.env['UV_THREADPOOL_SIZE'] ??= String(threads);
}

/**
 * The binaries of ONNX Runtime for Linux and macOS write an id of the machine into the user's cache folder,
 * and send it to Microsoft with facts about the model, unless this variable is set when they are loaded.
 */
export function disableModelTelemetry(): void {
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
}
