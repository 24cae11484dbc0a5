/** What a client receives about resources: notifications, and errors of requests. */
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';

/** The URIs of updated resources in order, and how often the list changed. */
export function resourceUpdates(client: Client) {
  const updated: string[] = [];
  const received = { updated, listChanged: 0 };
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri);
  });
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => {
    received.listChanged += 1;
  });
  return received;
}

/** The JSON-RPC code and Daybook's own code of the error; both `undefined` if there is no error. */
export async function codesOf(request: Promise<unknown>) {
  const error = await request.then(
    () => undefined,
    (reason: { code: number; data?: Record<string, { code: string }> }) => reason,
  );
  return [error?.code, error?.data?.['daybook/error']?.code];
}
