/**
 * Computes what a disk may contain after a power cut. It replays recorded file-system calls on a model that
 * knows what was synced. Everything else may exist or not: each new, renamed or removed name alone and in any
 * order; the data of a file completely, not at all, truncated or as zeros. This is stricter than ext4 and
 * APFS, which keep an order, so a store that is safe here is safe there.
 */
import { constants, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { FsCall } from './fs-tap.js';

export type Step =
  | { do: 'mkdir' | 'rmdir' | 'unlink' | 'rm'; path: string; firstMade?: string | undefined }
  | { do: 'open'; path: string; fd: number; flags: string }
  | { do: 'write'; fd: number; bytes: Buffer; position: number | null }
  | { do: 'fsync' | 'close'; fd: number }
  | { do: 'rename' | 'link'; path: string; to: string }
  /** Not a call: after this step the text must survive. */
  | { do: 'acknowledge'; text: string; id?: string }
  /** Not a call: the disk contains this, and all of it is synced. */
  | { do: 'settle'; tree: Tree };

/** The content of each file by its path below the root; `undefined` for a folder. */
export type Tree = ReadonlyMap<string, Buffer | undefined>;

class Folder {
  readonly now = new Map<string, Entry>();
  readonly synced = new Map<string, Entry>();
}
class File {
  now = Buffer.alloc(0);
  synced = Buffer.alloc(0);
}
type Entry = Folder | File;

/** The change of one name, which may have reached the disk or not. */
interface Change {
  folder: Folder;
  name: string;
  entry: Entry | undefined;
  /** For the old name of a moved folder: the change of its new name, without which the old one is not removed. */
  moved?: Change;
}

type DataFate = 'whole' | 'none' | 'cut' | 'zeros';
const FATES: readonly DataFate[] = ['whole', 'none', 'cut', 'zeros'];

/** One possible content of the disk. */
export interface CrashState {
  kept: readonly Change[];
  fateOf: (file: File) => DataFate;
}

/** The step of a successful call; `undefined` for calls that change nothing. */
export function stepOf({ name, path, args }: FsCall, result: unknown): Step | undefined {
  switch (name) {
    case 'mkdir':
      return { do: 'mkdir', path, firstMade: isRecursive(args[1]) ? String(result ?? '') : path };
    case 'rmdir':
    case 'unlink':
    case 'rm':
      return { do: name, path };
    case 'rename':
    case 'link':
      return { do: name, path, to: String(args[1]) };
    case 'open': {
      const fd = typeof result === 'number' ? result : (result as { fd: number }).fd;
      return { do: 'open', path, fd, flags: flagsOf(args[1]) };
    }
    case 'write': {
      const [fd, data, offset, length, position] = args as WriteArguments;
      const bytes = Buffer.from(data.subarray(offset, offset + length)); // a copy, because the product uses the buffer again
      return { do: 'write', fd, bytes, position: position ?? null };
    }
    case 'writeFile':
      return {
        do: 'write',
        fd: Number(args[0]),
        bytes: Buffer.from(args[1] as Buffer),
        position: null,
      };
    // If a new store makes such a call, add its effect to this model.
    case 'truncate':
    case 'ftruncate':
    case 'copyFile':
      throw new Error(`the model of the disk does not know ${name}`);
    case 'fsync':
    case 'close':
      return { do: name, fd: Number(args[0]) };
    default:
      return undefined;
  }
}

/** `wx` for a new file, `a` for one that is created if it is missing. */
function flagsOf(flags: unknown): string {
  if (typeof flags !== 'number') return String(flags ?? 'r');
  if ((flags & constants.O_EXCL) !== 0) return 'wx';
  return (flags & constants.O_APPEND) === 0 ? 'r' : 'a';
}

type WriteArguments = [fd: number, Buffer, offset: number, length: number, position?: number];

function isRecursive(options: unknown): boolean {
  return typeof options === 'object' && options !== null && 'recursive' in options;
}

export class DiskModel {
  readonly #rootPath: string;
  #root = new Folder();
  readonly #open = new Map<number, Entry>();
  #pending: Change[] = [];

  /** `rootPath` exists, is synced and is empty. */
  constructor(rootPath: string) {
    this.#rootPath = rootPath;
  }

  apply(step: Step): void {
    if (step.do === 'mkdir') this.#mkdir(step.path, step.firstMade ?? step.path);
    else if (step.do === 'rename') this.#rename(step.path, step.to);
    else if (step.do === 'link') this.#set(step.to, this.#find(step.path));
    else if (step.do === 'open') this.#opened(step.path, step.fd, step.flags);
    else if (step.do === 'write') this.#write(step.fd, step.bytes, step.position);
    else if (step.do === 'fsync') this.#sync(this.#open.get(step.fd));
    else if (step.do === 'close') this.#open.delete(step.fd);
    else if (step.do === 'settle') this.#settle(step.tree);
    else if ('path' in step) this.#remove(step.path);
  }

  /** What a power cut at this point may leave: each loss alone, all of them, and random combinations. */
  *crashStates(random: () => number): Generator<CrashState> {
    const all = this.#pending;
    const whole = () => 'whole' as const;
    for (const fate of FATES) {
      yield { kept: all, fateOf: () => fate };
      yield { kept: [], fateOf: () => fate };
    }
    yield { kept: all.toReversed(), fateOf: whole };
    // The folder of locks has many names, which are never synced. Only the latest are lost one by one.
    for (const change of all.slice(-12)) {
      const others = all.filter((other) => other !== change);
      yield { kept: others, fateOf: whole };
      yield { kept: others, fateOf: () => 'none' };
      yield { kept: [change], fateOf: whole };
      yield { kept: [change], fateOf: () => 'none' };
    }
    for (let count = 0; count < 6; count += 1) {
      const fates = new Map<File, DataFate>();
      const fateOf = (file: File) => {
        const fate = fates.get(file) ?? FATES[Math.floor(random() * FATES.length)] ?? 'none';
        fates.set(file, fate);
        return fate;
      };
      yield { kept: all.filter(() => random() < 0.5), fateOf };
    }
  }

  /** The content of one state by paths below the root; `undefined` for a folder. */
  treeOf({ kept, fateOf }: CrashState): Tree {
    const tree = new Map<string, Buffer | undefined>();
    const visit = (folder: Folder, path: string): void => {
      const names = new Map(folder.synced);
      for (const change of kept) {
        if (change.folder !== folder || this.#isHeldBack(change, kept)) continue;
        if (change.entry === undefined) names.delete(change.name);
        else names.set(change.name, change.entry);
      }
      for (const [name, entry] of names) {
        const below = join(path, name);
        if (entry instanceof File) tree.set(below, afterFate(entry, fateOf(entry)));
        else {
          tree.set(below, undefined);
          visit(entry, below);
        }
      }
    };
    visit(this.#root, '');
    return tree;
  }

  #settle(tree: Tree): void {
    this.#root = new Folder();
    this.#open.clear();
    for (const [path, bytes] of tree) {
      const entry = bytes === undefined ? new Folder() : new File();
      if (entry instanceof File && bytes !== undefined) {
        entry.now = Buffer.from(bytes);
        entry.synced = entry.now;
      }
      const folder = this.#find(join(this.#rootPath, dirname(path))) as Folder;
      folder.now.set(basename(path), entry);
      folder.synced.set(basename(path), entry);
    }
    this.#pending = [];
  }

  #mkdir(path: string, firstMade: string): void {
    if (firstMade === '') return; // all folders existed
    if (path !== firstMade) this.#mkdir(dirname(path), firstMade);
    this.#set(path, new Folder());
  }

  /**
   * A power cut can separate the two names. Of a folder, the old name is never removed without the new one:
   * every journal keeps this order, because a program cannot protect a folder by a second name.
   */
  #rename(path: string, to: string): void {
    const entry = this.#find(path);
    const added = this.#set(to, entry);
    const removed = this.#set(path, undefined);
    if (entry instanceof Folder) removed.moved = added;
  }

  #isHeldBack({ moved }: Change, kept: readonly Change[]): boolean {
    return moved !== undefined && this.#pending.includes(moved) && !kept.includes(moved);
  }

  #remove(path: string): void {
    const entry = this.#find(path);
    if (entry === undefined) return;
    if (entry instanceof Folder) {
      for (const name of [...entry.now.keys()]) this.#remove(join(path, name));
    }
    this.#set(path, undefined);
  }

  #opened(path: string, fd: number, flags: string): void {
    let entry = this.#find(path);
    if (entry === undefined) {
      entry = new File();
      this.#set(path, entry);
    }
    if (flags.startsWith('w') && entry instanceof File) entry.now = Buffer.alloc(0);
    this.#open.set(fd, entry);
  }

  #write(fd: number, bytes: Buffer, position: number | null): void {
    const file = this.#open.get(fd);
    if (!(file instanceof File)) throw new Error('a write to what is no file');
    const start = position ?? file.now.byteLength; // the product appends, or writes from 0
    file.now = Buffer.concat([file.now.subarray(0, start), bytes]);
  }

  #sync(entry: Entry | undefined): void {
    if (entry instanceof File) entry.synced = entry.now;
    if (!(entry instanceof Folder)) return;
    entry.synced.clear();
    for (const [name, child] of entry.now) entry.synced.set(name, child);
    this.#pending = this.#pending.filter(({ folder }) => folder !== entry);
  }

  #set(path: string, entry: Entry | undefined): Change {
    const folder = this.#find(dirname(path));
    if (!(folder instanceof Folder)) throw new Error(`no folder for ${path}`);
    const name = basename(path);
    if (entry === undefined) folder.now.delete(name);
    else folder.now.set(name, entry);
    const change: Change = { folder, name, entry };
    this.#pending.push(change);
    return change;
  }

  #find(path: string): Entry | undefined {
    let entry: Entry | undefined = this.#root;
    for (const name of relative(this.#rootPath, path).split('/')) {
      if (name !== '') entry = entry instanceof Folder ? entry.now.get(name) : undefined;
    }
    return entry;
  }
}

function afterFate(file: File, fate: DataFate): Buffer {
  const { now, synced } = file;
  if (fate === 'whole' || now === synced) return now;
  if (fate === 'none') return synced;
  // The synced part stays if the file only grew. A file that is written from the start has no synced part.
  const kept = synced.byteLength;
  const added = now.subarray(kept);
  if (fate === 'cut') return now.subarray(0, kept + Math.floor(added.byteLength / 2));
  return Buffer.concat([now.subarray(0, kept), Buffer.alloc(added.byteLength)]);
}

/**
 * Matches `<boot id>-<pid namespace>-<pid>-…` of src/files/locks/process-identity.ts, but not the middle of a
 * UUID.
 */
const NAME_OF_THIS_PROCESS = /([0-9a-f]{8}-\d{6,}-\d+)-\d+-([0-9a-z]+)/g;

/** Writes the content to the disk. Names of this process are replaced by those of a dead one. */
export function materialise(tree: Tree, at: string): void {
  mkdirSync(at, { recursive: true });
  for (const [path, bytes] of tree) {
    const there = join(at, path.replaceAll(NAME_OF_THIS_PROCESS, '$1-1-$2'));
    if (bytes === undefined) mkdirSync(there, { recursive: true });
    else writeFileSync(there, bytes);
  }
}
