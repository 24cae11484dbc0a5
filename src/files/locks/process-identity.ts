/**
 * Makes unique names for this process, and finds out whether the process of such a name has certainly
 * ended. A pid and a host name are not enough: pids are reused, containers share host names, and a killed
 * server stays a zombie process until its client calls wait.
 *
 * Name: `<boot id, 8>-<pid namespace inode>-<pid>-<start time>-<6 random digits and a counter>`; start time
 * is field 22 of /proc/<pid>/stat. macOS and Windows have neither: there the name has a hash of the machine and 0, and a
 * process is dead if its pid does not exist. On another system without /proc no process is "surely dead":
 * then the age of the owner's last touch decides.
 */
import { readFileSync, statSync } from 'node:fs';
import { arch, homedir, hostname, release, totalmem, uptime } from 'node:os';
import { systemClock } from '../../base/clock.js';
import { errnoOf, undefinedIfRefused } from '../../base/errors.js';
import { randomHex, sha256Hex } from '../../base/ids.js';

interface ProcessIdentity {
  /** `<boot>-<namespace>`. Processes of another realm (machine, boot or container) are not visible. */
  readonly realm: string;
  readonly pid: number;
  readonly startTime: string;
}

const OWNER_NAME = /^([0-9a-f]{8}-\d+)-(\d+)-(\d+)-[0-9a-z]+$/;
const NO_PROC_REALM = '00000000-0';
/** Here all processes of the machine see the same pids. */
const HAS_ONE_PID_SPACE = process.platform === 'darwin' || process.platform === 'win32';
/** The owner of a lock touches its folder at this interval, to show that it is alive. */
export const HEARTBEAT_INTERVAL_MS = 5_000;

const self = identifySelf();
// Distinguishes instances of this module in one process: worker threads, two copies of the package.
const instance = randomHex(3);
let counter = 0;

/** Returns a new name of this process at every call. */
export function ownerName(): string {
  counter += 1;
  return `${self.realm}-${self.pid}-${self.startTime}-${instance}${counter.toString(36)}`;
}

/** Whether this instance of the module made the name. */
export function isOwnName(name: string): boolean {
  return name.startsWith(`${self.realm}-${self.pid}-${self.startTime}-${instance}`);
}

export function isOwnerName(text: string): boolean {
  return OWNER_NAME.test(text);
}

/** The process id in a name. It is valid only on the machine or in the container of that process. */
export function pidOf(name: string): number {
  return Number(OWNER_NAME.exec(name)?.[2]);
}

/** Whether it ran on this machine, in this boot and container: then `isSurelyDead` can decide. */
export function isHere(name: string): boolean {
  const realm = OWNER_NAME.exec(name)?.[1];
  return realm === self.realm && realm !== NO_PROC_REALM;
}

/**
 * Whether the process has another boot id and was last seen before this machine was started: then a power
 * cut has ended it. `seenMs`: its last heartbeat, epoch milliseconds. Another boot id alone is not enough,
 * because the process may run on another machine that shares the folder. A live process there had its last
 * heartbeat at most one interval ago, which is subtracted. If the clocks of the two machines differ by more
 * than the uptime of this machine, the answer may be wrong. On macOS and Windows no name has a boot id.
 */
export function isOfEarlierBoot(name: string, seenMs: number): boolean {
  const realm = OWNER_NAME.exec(name)?.[1];
  if (realm === undefined || realm === NO_PROC_REALM || self.realm === NO_PROC_REALM) return false;
  const bootedAt = systemClock.now() - uptime() * 1000;
  const mayBeEarlier = HAS_ONE_PID_SPACE || bootOf(realm) !== bootOf(self.realm);
  return mayBeEarlier && seenMs < bootedAt - HEARTBEAT_INTERVAL_MS;
}

const bootOf = (realm: string) => realm.slice(0, realm.indexOf('-'));

/**
 * True only if that process has ended; false if it runs, or is on another machine or in another container.
 */
export function isSurelyDead(name: string): boolean {
  const match = OWNER_NAME.exec(name);
  if (match === null) return false;
  const [, realm = '', pid = '', startTime = ''] = match;
  if (realm !== self.realm || realm === NO_PROC_REALM) return false;
  const running = HAS_ONE_PID_SPACE ? undefined : readProcessStat(Number(pid));
  if (running === undefined) return !isVisibleToSignals(Number(pid));
  return running.state === 'Z' || running.state === 'X' || running.startTime !== startTime;
}

function identifySelf(): ProcessIdentity {
  const { pid } = process;
  const started = String(Math.round(performance.timeOrigin));
  if (HAS_ONE_PID_SPACE) return { realm: realmOfMachine(), pid, startTime: started };
  const stat = readProcessStat(pid);
  const boot = readOrUndefined('/proc/sys/kernel/random/boot_id');
  // In some sandboxes there is no such file.
  const namespace = undefinedIfRefused(() => statSync('/proc/self/ns/pid').ino);
  if (stat === undefined || boot === undefined || namespace === undefined) {
    return { realm: NO_PROC_REALM, pid, startTime: started };
  }
  return {
    realm: `${boot.replaceAll('-', '').slice(0, 8)}-${namespace}`,
    pid,
    startTime: stat.startTime,
  };
}

/** Another machine that shares the folder hardly has the same host name, home folder, memory and system. */
function realmOfMachine(): string {
  const machine = [hostname(), homedir(), totalmem(), release(), arch()];
  return `${sha256Hex(machine.join(' ')).slice(0, 8)}-0`;
}

function readProcessStat(pid: number): { state: string; startTime: string } | undefined {
  const text = readOrUndefined(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The command name may contain spaces and parentheses, so fields are counted after the last parenthesis.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return { state: fields[0] ?? '', startTime: fields[19] ?? '' };
}

function readOrUndefined(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes(errnoOf(error) ?? '')) return undefined;
    throw error;
  }
}

/** If /proc is mounted with hidepid, it hides the processes of other users. A signal still finds them. */
function isVisibleToSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) !== 'ESRCH';
  }
}
