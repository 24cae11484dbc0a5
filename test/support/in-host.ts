/** Runs commands in one process that a worker of the tests starts once (command-host.js). */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

export interface CommandRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface HostedCommand {
  /** The path of the built program. */
  readonly main: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

interface Host {
  readonly process: ChildProcess;
  readonly answers: Interface;
}

let host: Host | undefined;
let isBusy = false;

function startHost(): Host {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, 'command-host.js')], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc', 'pipe'],
  });
  return { process: child, answers: createInterface({ input: child.stdio[4] as Readable }) };
}

/** `undefined` if the host runs another command now. */
export async function runInHost(command: HostedCommand): Promise<CommandRun | undefined> {
  if (isBusy) return undefined;
  isBusy = true;
  host ??= startHost();
  const { process: child, answers } = host;
  const answered = new AbortController();
  const until = { signal: answered.signal };
  try {
    child.send(command);
    const [line] = await Promise.race([
      once(answers, 'line', until),
      once(answers, 'close', until),
    ]);
    if (line === undefined) throw new Error(`The host ended during ${command.args.join(' ')}`);
    const { isLast, ...run } = JSON.parse(line);
    if (isLast) host = undefined; // the command has ended its process
    return run;
  } catch (error) {
    host = undefined;
    child.kill();
    throw error;
  } finally {
    answered.abort(); // otherwise one of the two would listen for ever
    isBusy = false;
  }
}
