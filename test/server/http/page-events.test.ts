/** The event stream of the page follows the stores only while a browser is connected. */
import { EventEmitter } from 'node:events';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { PageEvents } from '../../../src/server/http/page/page-events.js';

const nothing = () => undefined;

const response = (destroyed: boolean) =>
  Object.assign(new EventEmitter(), {
    ...{ destroyed, set: nothing, flushHeaders: nothing, write: nothing, end: nothing },
  }) as unknown as Response;

it('follows nothing for a browser that left before the store was open', () => {
  let following = 0;
  const follow = () => {
    following += 1;
    return () => {
      following -= 1;
    };
  };
  const store = new Proxy({}, { get: () => follow });
  const app = new Proxy({}, { get: () => store }) as App;
  const events = new PageEvents();
  events.open(response(true), app);
  expect(following).toBe(0);

  const connected = response(false);
  events.open(connected, app);
  expect(following).toBeGreaterThan(0);
  connected.emit('close');
  expect(following).toBe(0);
});
