/** One request of the stateless protocol that is cancelled while its subscriptions are being made. */
import { expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { AppError } from '../../src/base/errors.js';
import { buildServer } from '../../src/server/mcp/build-server.js';
import { StatelessExchange } from '../../src/server/mcp/stateless/stateless-exchange.js';

it('a subscription stops when its client has disconnected', async () => {
  let refuse: (error: Error) => void = () => undefined;
  const store = new Promise<App>((_resolve, reject) => {
    refuse = reject;
  });
  let opened = 0;
  const app = () => {
    opened += 1;
    return store;
  };
  const built = buildServer({ app, toolsets: [] });
  const resourceSubscriptions = ['daybook://a', 'daybook://b', 'daybook://c'];
  const request = {
    jsonrpc: '2.0' as const,
    id: 1,
    method: 'subscriptions/listen',
    params: { notifications: { resourceSubscriptions, resourcesListChanged: true } },
  };
  const nothing = () => undefined;
  const channel = { notify: nothing, answer: nothing, close: nothing };
  const exchange = new StatelessExchange(request, built, channel);
  const started = exchange.start();
  while (opened === 0) await new Promise(setImmediate);
  await exchange.cancel();
  refuse(new AppError('STORAGE_UNAVAILABLE', 'the drive is not connected'));
  await built.calls.idle();
  await built.server.close();
  await started; // it stayed open, and a second subscription ended the process
  expect(opened).toBe(1);
});
