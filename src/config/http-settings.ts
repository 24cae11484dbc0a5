/** The HTTP part of the configuration. Insecure combinations of settings are refused. */
import { isIP } from 'node:net';
import { AppError } from '../base/errors.js';
import type { SettingName, SettingValues } from './settings.js';

export interface HttpConfig {
  /** A host name, or an IP address without brackets. */
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  /** The server creates the token in a file of the user's configuration folder. */
  readonly hasTokenFile: boolean;
  /** The server has no sessions. */
  readonly isStateless: boolean;
  /** In lower case. `host` allows every port, `host:port` only this one. */
  readonly allowedHosts: readonly string[];
  /** Serialized origins, such as `https://notes.example`. */
  readonly allowedOrigins: readonly string[];
  readonly maxBodyBytes: number;
  readonly sessionIdleMs: number;
  /** The maximum number of requests per minute from one address; 0: no limit. */
  readonly ratePerMinute: number;
}

const DEFAULT_RATE = 600;
const AUTO = 'auto';

/** True if only this machine can connect to `host` (a name, or an IP address without brackets). */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

/** VALIDATION_ERROR for a wrong value or an insecure combination. */
export function httpConfig(
  values: SettingValues,
  nameOf: (setting: SettingName) => string,
): HttpConfig {
  const host = values.httpHost.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const isLocal = isLoopback(host);
  if (values.mode === 'http' && !isLocal && values.httpToken === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      `${nameOf('httpHost')} ${host} allows connections from other machines, so DAYBOOK_HTTP_TOKEN must be set.`,
      {
        hint: 'Set DAYBOOK_HTTP_TOKEN to auto or to a secret (openssl rand -hex 32 makes one), and give the token to the clients. Without --host, only this machine can connect.',
        details: { setting: 'httpToken' },
      },
    );
  }
  const hosts = parts(values.httpAllowedHosts).map((part) => part.toLowerCase());
  const origins = parts(values.httpAllowedOrigins);
  return Object.freeze({
    host,
    port: values.httpPort,
    token: values.httpToken === AUTO ? undefined : values.httpToken,
    hasTokenFile: values.httpToken === AUTO,
    isStateless: values.httpStateless,
    allowedHosts: hosts.map((each) => checkedHost(each, nameOf('httpAllowedHosts'))),
    allowedOrigins: origins.map((each) => checkedOrigin(each, nameOf('httpAllowedOrigins'))),
    maxBodyBytes: values.httpMaxBodyMb * 1024 * 1024,
    sessionIdleMs: values.httpSessionIdleMinutes * 60_000,
    ratePerMinute: values.httpRateLimit ?? (isLocal ? 0 : DEFAULT_RATE),
  });
}

const parts = (list = '') => list.split(',').flatMap((part) => (part.trim() ? [part.trim()] : []));

function checkedHost(host: string, name: string): string {
  if (/^(\[[\da-f:.]+\]|[a-z\d._-]+)(:\d{1,5})?$/.test(host)) return host;
  throw new AppError(
    'VALIDATION_ERROR',
    `${name} must be host names separated by commas, such as notes.example or notes.example:8443, not ${JSON.stringify(host)}.`,
  );
}

function checkedOrigin(origin: string, name: string): string {
  if (URL.canParse(origin) && /^https?:\/\/[^/?#@*]+$/i.test(origin)) return new URL(origin).origin;
  throw new AppError(
    'VALIDATION_ERROR',
    `${name} must be origins separated by commas, such as https://notes.example, not ${JSON.stringify(origin)}.`,
  );
}
