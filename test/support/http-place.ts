/**
 * An HTTP server in this process, on a temporary root and a free port, with the limits and tools that a test
 * needs. Sends requests as bytes, because the official client sends no invalid ones.
 */
import { request } from 'node:http';
import { type App, createApp } from '../../src/app.js';
import { type Clock, systemClock } from '../../src/base/clock.js';
import { type Log, silentLog } from '../../src/base/log.js';
import { loadConfig } from '../../src/config/config.js';
import type { HttpConfig } from '../../src/config/settings/http-settings.js';
import { type HttpOptions, type HttpServer, openHttp } from '../../src/server/http/http-server.js';
import {
  type BuiltServer,
  buildServer,
  type ServerOptions,
} from '../../src/server/mcp/build-server.js';
import { TOOLSETS } from '../../src/tools/index.js';
import { withPlace } from '../e2e/harness.js';

export interface HttpPlace extends HttpServer {
  readonly app: App;
  readonly root: string;
}

export interface HttpPlaceOptions {
  readonly config?: Partial<HttpConfig>;
  readonly limits?: HttpOptions['limits'];
  readonly server?: Partial<ServerOptions>;
  readonly log?: Log;
  readonly clock?: Clock;
  /** Settings; the argument is the folder around the root. */
  settings?(folder: string): Readonly<Record<string, string>>;
  /** Whether the server also has the API of the page. */
  readonly hasPage?: boolean;
  /** Changes each server before its first use. */
  change?(built: BuiltServer): void;
}

export async function withHttpPlace<T>(
  {
    config = {},
    limits = {},
    server = {},
    log = silentLog,
    clock = systemClock,
    settings,
    hasPage = false,
    change,
  }: HttpPlaceOptions,
  work: (place: HttpPlace) => Promise<T>,
): Promise<T> {
  return withPlace(async ({ root, folder, env }) => {
    const loaded = loadConfig({
      flags: { root, mode: 'http', httpPort: '0' },
      env: { ...env, ...settings?.(folder) },
      home: folder,
      cwd: folder,
      knownToolsets: TOOLSETS,
      readFile: () => undefined,
    });
    const app = await createApp(loaded);
    const http = { ...loaded.http, ...config };
    const toolsets = loaded.toolsets;
    const build = (hasSession: boolean) => {
      const options = { app: () => app, toolsets, isRemote: true, hasSession, log, ...server };
      const built = buildServer(options);
      change?.(built);
      return built;
    };
    const opened = await openHttp({
      ...{ config: http, build, log, limits, clock },
      ...(hasPage && { page: { folder: root, app: () => app } }),
    });
    try {
      return await work({ ...opened, app, root });
    } finally {
      await opened.close();
      await app.close();
    }
  });
}

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  /** The JSON of the body, or of the last event of a stream. */
  readonly body: { error?: { code: number; message: string }; result?: Record<string, unknown> };
}

export interface Ask {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export const JSON_HEADERS = {
  'Content-Type': 'application/json',
  Accept: 'application/json, text/event-stream',
};

/** Sends one request with exactly these headers. Rejects only if there is no answer. */
export function ask(url: string, { method = 'POST', path, headers, body }: Ask): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { method, headers: headers ?? JSON_HEADERS, agent: false };
    const sent = request(new URL(path ?? '/mcp', url), options, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      res.on('end', () => {
        const { statusCode: status = 0, headers: received } = res;
        resolve({ status, headers: received, text, body: bodyOf(text) });
      });
      res.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function bodyOf(text: string): Answer['body'] {
  const last = text.split('\n').findLast((line) => line.startsWith('data: '));
  const json = last?.slice('data: '.length) ?? text;
  return json.startsWith('{') ? (JSON.parse(json) as Answer['body']) : {};
}

export const rpc = (method: string, params: unknown = {}, id: number | string = 1) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

export const initialize = (protocolVersion = '2025-11-25') =>
  rpc('initialize', {
    protocolVersion,
    capabilities: {},
    clientInfo: { name: 'bytes', version: '1' },
  });

/** The headers of a request in an open session. */
export async function begin(url: string, protocolVersion = '2025-11-25') {
  const { headers } = await ask(url, { body: initialize(protocolVersion) });
  return {
    ...JSON_HEADERS,
    'Mcp-Session-Id': String(headers['mcp-session-id']),
    'Mcp-Protocol-Version': protocolVersion,
  };
}
