/** The settings for HTTP, and their part of the configuration. Insecure combinations of settings are refused. */
import { AppError } from '../../base/errors.js';
import { isLoopback } from '../../base/loopback.js';
import {
  oneOf,
  onOff,
  setting,
  settingError,
  text,
  type ValuesOf,
  wholeNumber,
} from './define-setting.js';

const MODES = ['stdio', 'http'] as const;

export const HTTP_SETTINGS = {
  mode: setting({
    ...oneOf(MODES),
    default: 'stdio',
    about:
      'How clients connect: they start the server (`stdio`), or they use HTTP (default `stdio`).',
    env: ['DAYBOOK_MODE', 'INSIGHTS_MCP_MODE'],
    flag: '--mode',
  }),
  httpPort: setting({
    ...wholeNumber(0, 65_535),
    default: 3000,
    takes: 'a port from 0 to 65535 (0: any that is free)',
    about: 'The port of the HTTP server (default `3000`).',
    env: ['DAYBOOK_HTTP_PORT', 'INSIGHTS_MCP_PORT'],
    flag: '--port',
  }),
  httpHost: setting({
    schema: text,
    default: '127.0.0.1',
    takes: 'the name or address of a network interface of this machine',
    about:
      'The address on which the HTTP server listens; an address that other machines can reach needs DAYBOOK_HTTP_TOKEN (default `127.0.0.1`).',
    env: ['DAYBOOK_HTTP_HOST'],
    flag: '--host',
  }),
  httpToken: setting({
    // RFC 6750 allows only these characters in an Authorization header.
    schema: () => text().regex(/^(auto|[\w.~+/-]{16,512}=*)$/),
    takes:
      'auto, or 16 or more letters, digits or any of - . _ ~ + / (openssl rand -hex 32 makes one)',
    about:
      'The bearer token that every HTTP client must send. `auto` makes one in your configuration folder.',
    env: ['DAYBOOK_HTTP_TOKEN'],
    secret: true,
  }),
  httpStateless: setting({
    ...onOff,
    default: false,
    about:
      'Whether the HTTP server works without sessions (default `0`). With `1` it keeps no data about a client between two requests; docs/HTTP.md says what does not work in this mode.',
    env: ['DAYBOOK_HTTP_STATELESS'],
    flag: '--stateless',
  }),
  httpAllowedHosts: setting({
    schema: text,
    takes: 'host names separated by commas, each with or without a port',
    about:
      'Host names that clients may use for the HTTP server, in addition to `localhost`, the loopback addresses and `--host`.',
    env: ['DAYBOOK_HTTP_ALLOWED_HOSTS'],
  }),
  httpAllowedOrigins: setting({
    schema: text,
    takes: 'origins such as https://notes.example, separated by commas',
    about: 'Other origins whose web pages may use the HTTP server (default: none).',
    env: ['DAYBOOK_HTTP_ALLOWED_ORIGINS'],
  }),
  httpMaxBodyMb: setting({
    ...wholeNumber(1, 1024, 'megabytes'),
    default: 64,
    about: 'The largest HTTP request (default `64`).',
    env: ['DAYBOOK_HTTP_MAX_BODY_MB'],
  }),
  httpSessionIdleMinutes: setting({
    ...wholeNumber(1, 525_600, 'minutes'),
    default: 1440,
    about: 'A session that is unused for this time ends (default `1440`, a day).',
    env: ['DAYBOOK_HTTP_SESSION_IDLE_MINUTES'],
  }),
  httpRateLimit: setting({
    ...wholeNumber(0, 1_000_000),
    takes: 'a whole number of requests a minute from 0 to 1000000 (0: no limit)',
    about:
      'The maximum number of HTTP requests a minute from one address (default: `600`; no limit if only this machine can connect).',
    env: ['DAYBOOK_HTTP_RATE_LIMIT'],
  }),
};

export type Mode = (typeof MODES)[number];

export interface HttpConfig {
  /** A host name in lower case, or an IP address without brackets, in its shortest form. */
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

/** VALIDATION_ERROR for a wrong value or an insecure combination. */
export function httpConfig(
  values: ValuesOf<typeof HTTP_SETTINGS>,
  nameOf: (setting: keyof typeof HTTP_SETTINGS) => string,
): HttpConfig {
  const host = plainHost(values.httpHost);
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

/** An IPv6 address has many forms. A parsed Host header has the shortest one. */
function plainHost(given: string): string {
  const host = given.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  const url = `http://[${host}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : host;
}

const parts = (list = '') => list.split(',').flatMap((part) => (part.trim() ? [part.trim()] : []));

function checkedHost(host: string, name: string): string {
  if (/^(\[[\da-f:.]+\]|[a-z\d._-]+)(:\d{1,5})?$/.test(host)) return host;
  throw settingError(
    `${name} must be host names separated by commas, such as notes.example or notes.example:8443, not ${JSON.stringify(host)}.`,
    { setting: 'httpAllowedHosts' },
  );
}

function checkedOrigin(origin: string, name: string): string {
  if (URL.canParse(origin) && /^https?:\/\/[^/?#@*]+$/i.test(origin)) return new URL(origin).origin;
  throw settingError(
    `${name} must be origins separated by commas, such as https://notes.example, not ${JSON.stringify(origin)}.`,
    { setting: 'httpAllowedOrigins' },
  );
}
