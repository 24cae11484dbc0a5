/** Addresses of this machine, to which unencrypted keys and texts may be sent. */
import { isIP } from 'node:net';

/** True if only this machine can have the address: a name in lower case, or an IP address. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1'); // in a URL, an IPv6 address has brackets
  return bare === 'localhost' || bare === '::1' || (isIP(bare) === 4 && bare.startsWith('127.'));
}
