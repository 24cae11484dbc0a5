/**
 * Observes the file-system calls that Node makes for us, and can make them fail. It replaces the functions of
 * node:fs and node:fs/promises (and the methods of FileHandle) and syncs them to ES modules. The product is
 * not mocked: other calls reach the real file system. Only calls for paths below one folder (and /proc, which
 * the lock reads) are observed, so that the calls of the test runner in the same process are neither counted
 * nor changed.
 */
import fs from 'node:fs';
import promises, { type FileHandle } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

/** Two thirds of the bytes are written, as on a disk that becomes full during a write. */
export type Disturbance = { error: string } | 'short-write';

export interface FsCall {
  /** Without the `Sync` of the synchronous form: `rename`, `fsync`, `write` … */
  readonly name: string;
  readonly path: string;
  readonly args: readonly unknown[];
}

export interface FsObserver {
  /** Called before the call. A result changes or fails the call. */
  before?(call: FsCall): Disturbance | undefined;
  /** Called after a successful call. */
  after?(call: FsCall, result: unknown): void;
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;
type Functions = Record<string, AnyFunction>;

const SYNC = [
  'openSync',
  'closeSync',
  'writeSync',
  'fsyncSync',
  'fstatSync',
  'statSync',
  'lstatSync',
  'renameSync',
  'mkdirSync',
  'rmdirSync',
  'unlinkSync',
  'chmodSync',
  'fchmodSync',
  'linkSync',
  'copyFileSync',
  'readSync',
  'chownSync',
  'readFileSync',
  'readdirSync',
  'realpathSync',
  'readlinkSync',
  'ftruncateSync',
];
const PROMISED = [
  'open',
  'mkdir',
  'rmdir',
  'rm',
  'rename',
  'unlink',
  'readdir',
  'lstat',
  'stat',
  'chmod',
  'utimes',
  'realpath',
  'readFile',
  'link',
];
const OF_HANDLE = ['stat', 'read', 'write', 'writeFile', 'sync', 'chmod', 'readFile', 'truncate'];

/** The calls that `work` makes; none of them is changed. */
export async function callsDuring(root: string, work: () => Promise<unknown>): Promise<FsCall[]> {
  const calls: FsCall[] = [];
  const restore = await tapFs(root, {
    before(call) {
      calls.push(call);
      return undefined;
    },
  });
  await work().finally(restore);
  return calls;
}

/** Each attempt to acquire a lock makes three of these calls; some other operations make them too. */
export const claimsIn = (calls: readonly FsCall[]): number =>
  calls.filter(({ name }) => name === 'mkdir' || name === 'rename').length;

/** The maximum for work that does not wait for its own lock. Work that waits for a second makes fifty attempts. */
export const MOST_CLAIMS = 45;

/** Starts to observe. The returned function stops it and restores the functions. Only one at a time. */
export async function tapFs(root: string, observer: FsObserver): Promise<() => void> {
  const tap = new Tap(root, observer);
  // Node loads the code behind `rm` at its first use, and it would then call our functions instead of its
  // own.
  await promises.rm(`${root}.none`, { recursive: true, force: true });
  const handle = await promises.open('/', 'r');
  tap.install(Object.getPrototypeOf(handle) as Functions);
  await handle.close();
  return () => tap.restore();
}

class Tap {
  readonly #root: string;
  readonly #observer: FsObserver;
  readonly #paths = new Map<number, string>();
  readonly #undo: (() => void)[] = [];
  /** Functions of Node call each other. Only the outermost call is one of the product. */
  #depth = 0;

  constructor(root: string, observer: FsObserver) {
    this.#root = root;
    this.#observer = observer;
  }

  install(handlePrototype: Functions): void {
    const tap = this;
    const sync = fs as unknown as Functions;
    for (const name of SYNC) {
      this.#replace(
        sync,
        name,
        (original) =>
          function (...args) {
            return tap.#runSync(name.slice(0, -'Sync'.length), args, () =>
              original.apply(this, args),
            );
          },
      );
    }
    this.#replace(
      sync,
      'fsync',
      (original) =>
        function (...args) {
          tap.#runCallback('fsync', args, (callback) => original.call(this, args[0], callback));
        },
    );
    for (const name of PROMISED) {
      this.#replace(
        promises as unknown as Functions,
        name,
        (original) =>
          function (...args) {
            return tap.#runPromised(name, args, () => original.apply(this, args));
          },
      );
    }
    for (const method of OF_HANDLE) {
      const name = method === 'sync' ? 'fsync' : method;
      this.#replace(
        handlePrototype,
        method,
        (original) =>
          function (...args) {
            const { fd } = this as FileHandle;
            return tap.#runPromised(name, [fd, ...args], (changed) =>
              original.apply(this, (changed ?? [fd, ...args]).slice(1)),
            );
          },
      );
    }
    syncBuiltinESMExports();
  }

  restore(): void {
    for (const undo of this.#undo.splice(0)) undo();
    syncBuiltinESMExports();
  }

  #replace(owner: Functions, name: string, wrap: (original: AnyFunction) => AnyFunction): void {
    const original = owner[name];
    if (original === undefined) throw new Error(`no ${name} to tap`);
    const replaced = wrap(original);
    // for example realpathSync.native
    owner[name] = Object.assign(replaced, original);
    this.#undo.push(() => {
      owner[name] = original;
    });
  }

  #callOf(name: string, args: readonly unknown[]): FsCall | undefined {
    if (this.#depth > 0) return undefined;
    const known = args.map((arg) => this.#realPath(arg));
    const [first] = known;
    const path = typeof first === 'number' ? this.#paths.get(first) : String(first);
    if (path === undefined) return undefined;
    if (name === 'close') this.#paths.delete(Number(first)); // a later file can have the same number
    const isOurs = path.startsWith(this.#root) || path.startsWith('/proc/');
    return isOurs ? { name, path, args: known } : undefined;
  }

  /** The real path for a path that goes through an open folder. */
  #realPath(arg: unknown): unknown {
    const through = typeof arg === 'string' ? /^\/proc\/self\/fd\/(\d+)(.*)$/.exec(arg) : null;
    const folder = through && this.#paths.get(Number(through[1]));
    return folder ? folder + through[2] : arg;
  }

  #runSync(name: string, args: unknown[], run: () => unknown): unknown {
    const call = this.#callOf(name, args);
    if (call === undefined) return this.#nested(run);
    const disturbance = this.#observer.before?.(call);
    if (disturbance === 'short-write') {
      args[3] = shortened(args[3]);
    } else if (disturbance !== undefined) {
      // A `close` that fails has closed the file. Otherwise the test would leak it.
      if (name === 'close') this.#nested(run);
      throw systemError(disturbance.error, call);
    }
    const result = this.#nested(run);
    this.#finished(call, result);
    return result;
  }

  #runCallback(
    name: string,
    args: unknown[],
    run: (callback: (error: Error | null) => void) => unknown,
  ): void {
    const callback = args.at(-1) as (error: Error | null) => void;
    const call = this.#callOf(name, args);
    const disturbance = call && this.#observer.before?.(call);
    if (call !== undefined && disturbance !== undefined && disturbance !== 'short-write') {
      const error = systemError(disturbance.error, call);
      setImmediate(() => callback(error));
      return;
    }
    run((error) => {
      if (call !== undefined && error === null) this.#finished(call, undefined);
      callback(error);
    });
  }

  async #runPromised(
    name: string,
    args: unknown[],
    run: (changed?: unknown[]) => unknown,
  ): Promise<unknown> {
    const call = this.#callOf(name, args);
    if (call === undefined) return this.#nested(run);
    const disturbance = this.#observer.before?.(call);
    if (disturbance === 'short-write') {
      const result = await this.#nested(() =>
        run(args.map((value, index) => (index === 3 ? shortened(value) : value))),
      );
      this.#finished(call, result);
      return result;
    }
    if (disturbance !== undefined) {
      if (name === 'close') await this.#nested(run);
      throw systemError(disturbance.error, call);
    }
    const result = await this.#nested(run);
    this.#finished(call, result);
    return result;
  }

  #nested<T>(run: () => T): T {
    this.#depth += 1;
    try {
      return run();
    } finally {
      this.#depth -= 1;
    }
  }

  #finished(call: FsCall, result: unknown): void {
    if (call.name === 'open') this.#opened(call.path, result as number | FileHandle);
    this.#observer.after?.(call, result);
  }

  #opened(path: string, result: number | FileHandle): void {
    const fd = typeof result === 'number' ? result : result.fd;
    this.#paths.set(fd, path);
    if (typeof result === 'number') return;
    // Each handle has its own `close`, not that of the prototype.
    const close = result.close;
    result.close = () =>
      this.#runPromised('close', [fd], () => close.call(result)) as Promise<void>;
  }
}

function shortened(length: unknown): number {
  return Math.floor((Number(length) * 2) / 3);
}

function systemError(code: string, { name, path }: FsCall): Error {
  return Object.assign(new Error(`${code}: made to fail, ${name} '${path}'`), {
    code,
    syscall: name,
    path,
  });
}
