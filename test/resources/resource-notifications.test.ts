/** Which resources the notifications about a list compare. */
import { expect, it } from 'vitest';
import { ResourceNotifications } from '../../src/resources/resource-notifications.js';

it('all resources are read for the first page of a list only', async () => {
  const receiver = { updated: () => undefined, listChanged: () => undefined };
  const notifications = new ResourceNotifications(receiver);
  let reads = 0;
  const known = async () => {
    reads += 1;
    return [['note:a.md', ''] as const];
  };
  for (let page = 0; page < 3; page += 1) await notifications.listAsked(known);
  notifications.close();
  expect(reads).toBe(1);
});
