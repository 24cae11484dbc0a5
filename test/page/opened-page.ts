/** Opens the page of a new store in a browser, and collects its faults. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import axe from 'axe-core';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { launch, MAX_WAIT_MS, newPlace, servePage } from './browser.mjs';

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

export type OpenedPage = Awaited<ReturnType<typeof openPage>>;

/** Starts one browser for the tests of a file. The returned function opens a page, closed after its test. */
export function usePages() {
  let browser: Browser;
  const open: OpenedPage[] = [];
  beforeAll(async () => {
    browser = await launch();
  });
  afterEach(async () => {
    for (const page of open.splice(0)) await page.close();
  });
  afterAll(() => browser.close());
  return async (prepare: Prepare, env?: Record<string, string>): Promise<OpenedPage> => {
    const page = await openPage(browser, prepare, env);
    open.push(page);
    return page;
  };
}

/** Fills the store before its server starts. */
type Prepare = (place: ReturnType<typeof newPlace>) => unknown;

/** `faults` are requests to other servers, errors, and violations of the policy. The list must be empty. */
async function openPage(browser: Browser, prepare: Prepare, env: Record<string, string> = {}) {
  const made = newPlace();
  const place = { ...made, env: { ...made.env, ...env } };
  await prepare(place);
  const served = await servePage(place);
  const context = await browser.newContext({ viewport: { width: 1100, height: 720 } });
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
