/** The event stream of the page follows the stores only while a browser is connected. */
import { EventEmitter, once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Response } from 'express';
import { expect, it } from 'vitest';
import type { App } from '../../../src/app.js';
import { PageEvents } from '../../../src/server/http/page/page-events.js';
import { withPlace } from '../../e2e/harness.js';
import { withHttp } from '../../e2e/http-harness.js';

const nothing = () => undefined;

const response = (destroyed: boolean) =>
  Object.assign(new EventEmitter(), {
    destroyed,
    set: nothing,
    flushHeaders: nothing,
    write: nothing,
    end: nothing,
  }) as unknown as Response;

it('the stream of events follows nothing for a browser that disconnected before the store was open', () => {
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

it('the stream of events answers HEAD with headers only', async () => {
  await withPlace((place) =>
    withHttp(place, async ({ url }) => {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const asked = request(new URL('/api/events', url), { method: 'HEAD' }, resolve);
        asked.once('error', reject).end();
      });
      answer.resume();
      await once(answer, 'end');
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-type']).toContain('text/event-stream');
    }),
  );
});
