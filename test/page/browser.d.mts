/** Types of browser.mjs, which the command for screenshots runs without a compiler. */
import type { Browser } from 'playwright-core';

export const MAX_WAIT_MS: number;
export interface PagePlace {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
  remove(): void;
}
export function launch(): Promise<Browser>;
export function newPlace(): PagePlace;
export function run(place: PagePlace, args: readonly string[]): Promise<string>;
export function servePage(
  place: PagePlace,
  port?: string,
): Promise<{
  readonly link: string;
  readonly origin: string;
  readonly port: string;
  signal(name: NodeJS.Signals): void;
  stop(): Promise<unknown>;
}>;
