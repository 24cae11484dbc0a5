/**
 * Runs commands of the built program one after the other in this process, and returns for each what a process
 * of its own would: its output and its status. The modules are loaded once, so most commands take a tenth of
 * the time of a process. in-host.ts starts this program and sends the commands.
 */
import { Console } from 'node:console';
import { writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';

/** The pipe for the answers, one line of JSON each. It is written synchronously, also at the end of this process. */
const ANSWERS = 4;
let runs = 0;

/** What keeps this process running: the channel to the test, and what a command has not finished. */
const activeCount = () => process.getActiveResourcesInfo().length;

/** Waits until the command has nothing left to do. A process would end then. */
async function untilIdle(idleCount) {
  while (activeCount() > idleCount) await new Promise((resolve) => setImmediate(resolve));
}

/** Makes a stream the output `name` of this process. Returns a function that returns the text written to it. */
function capture(name) {
  const chunks = [];
  const value = new Writable({
    write(chunk, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  Object.defineProperty(process, name, { configurable: true, value });
  return () => Buffer.concat(chunks).toString();
}

function changeEnvironment(env) {
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name];
  Object.assign(process.env, env);
}

async function run({ main, args, env, cwd }) {
  changeEnvironment(env);
  process.chdir(cwd);
  process.argv = [process.execPath, main, ...args];
  process.exitCode = undefined;
  const [stdout, stderr] = [capture('stdout'), capture('stderr')];
  globalThis.console = new Console(process.stdout, process.stderr);
  const answer = (code, isLast = false) => {
    const line = JSON.stringify({ code, stdout: stdout(), stderr: stderr(), isLast });
    writeSync(ANSWERS, `${line}\n`);
  };
  const { exit } = process;
  process.exit = (code = process.exitCode ?? 0) => {
    answer(code, true);
    exit(code);
  };
  const idleCount = activeCount();
  await import(`${pathToFileURL(join(dirname(main), 'run.mjs'))}?run=${++runs}`);
  await untilIdle(idleCount);
  process.exit = exit;
  answer(process.exitCode ?? 0);
}

process.on('message', (command) => void run(command));
