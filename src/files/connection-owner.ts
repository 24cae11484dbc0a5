/**
 * Finds out whether another user of this machine opened a connection to this process. Linux lists the owner of
 * each socket in /proc. Other systems have no such list.
 */
import { isAppError } from '../base/errors.js';
import { readTextIfPresent } from './safe-access/given-file.js';

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6'];
const ROOT = 0;

/** The ports of a connection, as this process sees them. */
interface Ports {
  readonly localPort?: number | undefined;
  readonly remotePort?: number | undefined;
}

/** False for root, who may read all files, and if the system does not show who opened the connection. */
export function isOfAnotherUser({ localPort, remotePort }: Ports): boolean {
  const own = process.getuid?.();
  return TABLES.flatMap(linesOf).some((line) => {
    // Number, local address, remote address, state, queues, timer, retransmissions, user.
    const [, from, to, , , , , user] = line.trim().split(/\s+/);
    if (portOf(from) !== remotePort || portOf(to) !== localPort) return false;
    return Number(user) !== ROOT && Number(user) !== own;
  });
}

function linesOf(path: string): string[] {
  try {
    return (readTextIfPresent(path) ?? '').split('\n');
  } catch (error) {
    if (isAppError(error)) return []; // some systems, such as Android, do not let users read it
    throw error;
  }
}

/** For example 4555 for `0100007F:11CB`. */
const portOf = (address = '') => Number.parseInt(address.split(':')[1] ?? '', 16);
