/**
 * Runs a command many times in one process: each message is a run, with its own arguments, folder,
 * environment and input. A run ends when nothing keeps the process alive, as a process of its own does.
 * After what it prints comes a mark with the exit status.
 */
import { Readable } from 'node:stream';

/** That of Node for a module that waits for what never comes. */
const UNSETTLED = 13;

/** Thrown by `process.exit`, so that nothing after the call is done. */
class Exit extends Error {}
process.exit = (code) => {
  process.exitCode = code ?? process.exitCode;
  throw new Exit();
};

let runs = 0;
let status;

process.on('message', ({ main, args, cwd, env, stdin }) => {
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
  process.argv = [process.execPath, main, ...args];
  if (!process.stdout.isTTY) {
    const value = Readable.from(stdin === '' ? [] : [Buffer.from(stdin, 'base64')]);
    Object.defineProperty(process, 'stdin', { value, configurable: true });
  }
  process.channel.unref();
  runs += 1;
  status = UNSETTLED;
  // Each time another address, or Node would not run the module again.
  void import(`${main}?${runs}`)
    .catch((error) => {
      if (!(error instanceof Exit)) throw error;
    })
    .then(() => {
      status = 0;
    });
});

process.on('beforeExit', () => {
  const mark = `\0end ${process.exitCode ?? status}\0`;
  process.exitCode = undefined;
  process.channel.ref();
  process.removeAllListeners('uncaughtException');
  for (const stream of [process.stdout, process.stderr]) {
    for (const event of ['error', 'drain']) stream.removeAllListeners(event);
    if (!process.stderr.isTTY || stream === process.stdout) stream.write(mark);
  }
});

process.on('disconnect', () => process.reallyExit());
