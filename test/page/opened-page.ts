/** Opens the page of a new store in a browser, and collects its faults. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import axe from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach } from 'vitest';
import type { PageServersTask, ServedStore } from '../crash/children/page-servers.js';
import { runCommand } from '../e2e/harness.js';
import { Child } from '../support/child.js';
import { launch, MAX_WAIT_MS, newPlace, type PagePlace, type servePage } from './browser.mjs';

const PAGE_FOLDER = resolve(import.meta.dirname, '../../dist/page');

/** Writes numbered conversations as a user does by hand. */
export function writeConversation(
  root: string,
  conversationId: string,
  head: object,
  messages: readonly object[],
): void {
  const file = join(root, 'conversation-logs', conversationId, 'conversation.json');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ conversationId, ...head, messages }));
}

/** Runs a command to its end. Returns its standard output. */
export async function run({ root, env }: PagePlace, args: readonly string[]): Promise<string> {
  const place = { folder: dirname(root), root, env: env as Record<string, string> };
  const { code, stdout, stderr } = await runCommand(place, ['--root', root, ...args]);
  if (code !== 0) throw new Error(stderr);
  return stdout;
}

type Served = Pick<Awaited<ReturnType<typeof servePage>>, 'link' | 'origin' | 'stop'>;
type Opened<S extends Served> = Awaited<ReturnType<typeof openPage<S>>>;
export type OpenedPage = Opened<Served>;

let browser: Promise<Browser> | undefined;

/** One browser for all test files of this process, which ends it. Each test has its own context in it. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launch();
  return browser;
}

/**
 * The returned function opens a page in a context of its own, which is closed after its test.
 * `serve` is `servePage` if the process of `daybook open` is the subject.
 */
export function usePages(): OpenPage<Served>;
export function usePages<S extends Served>(serve: ServePlace<S>): OpenPage<S>;
export function usePages(serve: ServePlace<Served> = useServers()): OpenPage<Served> {
  const open: OpenedPage[] = [];
  afterEach(async () => {
    for (const page of open.splice(0)) await page.close();
  });
  return async (prepare, env) => {
    const page = await openPage(serve, prepare, env);
    open.push(page);
    return page;
  };
}

type ServePlace<S extends Served> = (place: PagePlace) => Promise<S>;
type OpenPage<S extends Served> = (
  prepare: Prepare,
  env?: Record<string, string>,
) => Promise<Opened<S>>;

/** Serves the pages of the tests of a file in one process, because `daybook open` takes longer than most tests. */
function useServers(): ServePlace<Served> {
  let servers: Child | undefined;
  const answerTo = async <T>(task: PageServersTask): Promise<T> => {
    servers ??= new Child('page-servers', { pageFolder: PAGE_FOLDER });
    servers.send(task);
    return servers.next<T>();
  };
  afterAll(() => servers?.stop());
  return async ({ root, env }) => {
    const { number, link } = await answerTo<ServedStore>({ root, env });
    let stopped: Promise<unknown> | undefined;
    const stop = () => {
      stopped ??= answerTo({ stop: number });
      return stopped;
    };
    return { link, origin: new URL(link).origin, stop };
  };
}

/** Fills the store before its server starts. */
type Prepare = (place: ReturnType<typeof newPlace>) => unknown;

/** `faults` are requests to other servers, errors, and violations of the policy. The list must be empty. */
export async function openPage<S extends Served>(
  serve: ServePlace<S>,
  prepare: Prepare,
  env: Record<string, string> = {},
) {
  const made = newPlace();
  const place = { ...made, env: { ...made.env, ...env } };
  await prepare(place);
  const served = await serve(place);
  const context = await (await sharedBrowser()).newContext({
    viewport: { width: 1100, height: 720 },
  });
  context.setDefaultTimeout(MAX_WAIT_MS);
  const page = await context.newPage();
  const faults: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol !== 'blob:' && origin !== served.origin) faults.push(request.url());
  });
  page.on('pageerror', (error) => faults.push(error.message));
  await page.exposeFunction('policyViolated', (what: string) => faults.push(what));
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { policyViolated } = window as unknown as { policyViolated(what: string): void };
      policyViolated(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`);
    });
  });
  await page.goto(served.link);
  const close = async () => {
    await context.close();
    await served.stop();
    place.remove();
  };
  return { root: place.root, place, served, context, page, faults, close };
}

export const goTo = (page: Page, address: string) =>
  page.evaluate((hash) => {
    location.hash = hash;
  }, address);

/** Waits until the page has drawn what it has received: effects of a view run after a frame. */
export const drawn = (page: Page) =>
  page.evaluate(async () => {
    for (let frames = 0; frames < 3; frames++) await new Promise(requestAnimationFrame);
  });

/** Waits for the answer to the next call of this tool with this text, and until the page has drawn it. */
export async function answered(page: Page, tool: string, text = ''): Promise<void> {
  const answer = await page.waitForResponse(
    (each) =>
      each.url().endsWith(`/api/tools/${tool}`) &&
      each.request().postData()?.includes(text) === true,
  );
  await answer.finished();
  await drawn(page);
}

/** The faults that axe-core finds. It runs outside of the policy of the page or the frame. */
export async function faultsOf(page: Page | Frame): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const found = window as unknown as { axe: { run(): Promise<{ violations: Violation[] }> } };
    const { violations } = await found.axe.run();
    return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 200)}`);
  });
}

interface Violation {
  id: string;
  nodes: { html: string }[];
}
