/**
 * For test files that only call tools: before each test the built server on a root of its own, with
 * the official client connected to it; ended after the test.
 */
import { afterEach, beforeEach } from 'vitest';
import { type Place, type Session, withClient, withPlace } from '../e2e/harness.js';

export interface ToolSession {
  place: Place;
  session: Session;
}

/** To be called at the top of a test file; the fields are there while a test runs. */
export function useToolSession(): ToolSession {
  const opened = {} as ToolSession;
  let finish = () => undefined as unknown;
  let ended: Promise<unknown> = Promise.resolve();
  beforeEach(async () => {
    await new Promise<void>((ready, failed) => {
      ended = withPlace((place) =>
        withClient(place, async (session) => {
          Object.assign(opened, { place, session });
          ready();
          await new Promise((resolve) => {
            finish = () => resolve(undefined);
          });
        }),
      );
      ended.catch(failed);
    });
  });
  afterEach(async () => {
    finish();
    await ended;
  });
  return opened;
}
