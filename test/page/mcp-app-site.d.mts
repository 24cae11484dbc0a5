/** Types of mcp-app-site.mjs, which the command for screenshots runs without a compiler. */
import type { Page } from 'playwright-core';
import type { PagePlace } from './browser.mjs';

export function serveHost(place: PagePlace): Promise<{
  /** Those of the site and of the server. */
  readonly origins: readonly string[];
  open(page: Page): Promise<void>;
  close(): Promise<void>;
}>;
