/**
 * The routes of the page under `/` and of its API under `/api/` (docs/PAGE.md). They check the session
 * and that the request does not come from another site. Host and Origin were checked before.
 */
import express, { type Request, type Response, type Router } from 'express';
import { ServerEndError } from '../../../base/async/server-end.js';
import { isRecord } from '../../../base/json-fields.js';
import type { Log } from '../../../base/log.js';
import type { HttpConfig } from '../../../config/settings/http-settings.js';
import type { ToolCall } from '../../../tools/define-tool.js';
import { checkFetchSite } from '../access-checks.js';
import { HttpError } from '../http-error.js';
import { readBytes } from '../request-body.js';
import { type OpenApp, PageCalls } from './page-calls.js';
import { PageEvents } from './page-events.js';
import { type PageFile, readPage } from './page-files.js';
import { PageSession } from './page-session.js';
import { PageUploads } from './page-uploads.js';
import { sendRawFile } from './raw-file.js';
import { PAGE_HEADERS } from './security-headers.js';

export interface PageOptions {
  /** The folder with the built page. */
  readonly folder: string;
  readonly app: OpenApp;
}

export interface Page {
  readonly router: Router;
  /** The secret part of a link that can be used once. `isListed`: it will be in the list of processes. */
  newLink(isListed: boolean): string;
  /** Resolves when accepted calls are answered and the streams are closed. */
  close(): Promise<void>;
}

const A_YEAR = 'private, max-age=31536000, immutable';
/** JSON Lines: progress reports, then the answer. */
const REPORTS = 'application/x-ndjson';
/** Maximum size of a request with a link, a token or a path. */
const MAX_SMALL_BODY_BYTES = 4096;

export function createPage({ folder, app }: PageOptions, config: HttpConfig, log: Log): Page {
  const router = express.Router();
  const session = new PageSession(config.token);
  const uploads = new PageUploads();
  const calls = new PageCalls(app, log, uploads);
  const events = new PageEvents();
  const openedApp = () => calls.accepted.track(async () => app()).catch(notOpen);

  router.use('/api', checkFetchSite, (_req, res, next) => {
    res.set('Cross-Origin-Resource-Policy', 'same-origin');
    next();
  });
  router.post('/api/session', async (req, res) => {
    const given = await readObject(req, MAX_SMALL_BODY_BYTES);
    if (!session.begin(given, req, res)) throw refused();
    res.status(204).end();
  });
  router.use('/api', (req, _res, next) => next(session.isOpenTo(req) ? undefined : refused()));
  router.get('/api/session', (_req, res) => void res.status(204).end());
  // Express answers HEAD with the route for GET, whose answer does not end.
  router.head('/api/events', (_req, res) => void res.type('text/event-stream').end());
  router.get('/api/events', async (_req, res) => {
    events.open(res, await openedApp());
  });
  router.post('/api/tools/:name', async (req, res) => {
    const args = await readObject(req, config.maxBodyBytes);
    const gone = disconnectSignal(res);
    const progress = req.get('accept') === REPORTS ? reportsTo(res) : undefined;
    const { status, body } = await calls.run(String(req.params['name']), args, gone, progress);
    if (res.destroyed) return;
    if (res.headersSent) res.end(`${JSON.stringify({ status, body })}\n`);
    else res.status(status).json(body);
  });
  router.get('/api/conversations/:id/conversation.json', async (req, res) => {
    const { accepted } = calls;
    const opened = await openedApp();
    await accepted.track(() => sendRawFile(opened, req.params.id, res, accepted.endSignal));
  });
  addUploads(router, uploads);
  addFiles(router, folder);
  return {
    router,
    newLink: (isListed) => session.newLink(isListed),
    async close() {
      events.close();
      await calls.accepted.end(new ServerEndError());
      await uploads.close();
    },
  };
}

/** Starts the JSON Lines with the first report. An answer without a report before is normal JSON. */
function reportsTo(res: Response): ToolCall['progress'] {
  return (report) => {
    if (res.destroyed) return;
    if (!res.headersSent) res.status(200).type(REPORTS);
    res.write(`${JSON.stringify({ progress: report })}\n`);
  };
}

/** The files of the built page. They are read at the first request. */
function addFiles(router: Router, folder: string): void {
  let files: Promise<ReadonlyMap<string, PageFile>> | undefined;
  router.use(async (req, res, next) => {
    files ??= readPage(folder).catch((error: unknown) => {
      files = undefined; // the next request tries again
      throw error;
    });
    const file = (await files).get(req.path);
    if (file === undefined) return next();
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      throw new HttpError(405, 'This address accepts GET.', { headers: { Allow: 'GET, HEAD' } });
    }
    res.set({ ...PAGE_HEADERS, ...(file.isConstant && { 'Cache-Control': A_YEAR }) });
    res.type(file.type).send(file.text);
  });
}

function addUploads(router: Router, uploads: PageUploads): void {
  router.post('/api/uploads', async (req, res) => {
    if (req.is('application/octet-stream') === false) {
      throw new HttpError(415, 'Content-Type must be application/octet-stream.');
    }
    res.status(201).json(await uploads.take(String(req.query['name'] ?? ''), req));
  });
  router.post('/api/uploads/remove', async (req, res) => {
    const { path } = await readObject(req, MAX_SMALL_BODY_BYTES);
    await uploads.remove(String(path));
    res.status(204).end();
  });
}

/** The page repeats the request automatically. */
const notOpen = (): never => {
  throw new HttpError(
    503,
    'The store cannot be opened now. The log of the server shows the reason.',
  );
};

const refused = () =>
  new HttpError(401, 'Open the page with daybook open, or give the token of this server.', {
    headers: { 'WWW-Authenticate': 'Bearer realm="daybook"' },
  });

/** The body as a JSON object. Throws HttpError 400, 413 or 415. */
async function readObject(req: Request, maxBytes: number): Promise<Record<string, unknown>> {
  if (req.is('application/json') === false) {
    throw new HttpError(415, 'Content-Type must be application/json.');
  }
  const bytes = await readBytes(req, maxBytes);
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    if (isRecord(value)) return value;
  } catch {
    // answered below
  }
  throw new HttpError(400, 'The body must be a JSON object.');
}

/** Aborted if the browser disconnects before the answer is sent. */
function disconnectSignal(res: Response): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort();
  });
  return gone.signal;
}
