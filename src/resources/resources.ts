/** Joins all kinds of resources into one list. */
import type { App } from '../app.js';
import { AppError } from '../base/errors.js';
import { conversationResources } from './conversation-resources.js';
import { graphResources } from './graph-resources.js';
import { noteResources } from './note-resources.js';
import type { ListedResource, ResourceKind } from './resource-kind.js';

const PAGE_SIZE = 50;

/** In the order of the list. Cursors of the first kind have no prefix. */
export const resourceKinds: readonly ResourceKind[] = [
  conversationResources,
  graphResources,
  noteResources,
];

export const resourceTemplates = resourceKinds.flatMap(({ templates }) => templates);

/** One page of the list; the kinds follow each other. Throws VALIDATION_ERROR for an invalid cursor. */
export async function listResources(
  app: App,
  cursor: string | undefined,
  kinds: readonly ResourceKind[],
) {
  const { first, rest } = parseCursor(cursor, kinds);
  const resources: ListedResource[] = [];
  for (let index = first; index < kinds.length; index += 1) {
    const kind = kinds[index];
    if (kind === undefined) break;
    const limit = Math.max(1, PAGE_SIZE - resources.length);
    const start = index === first && rest !== undefined ? { cursor: rest } : {};
    const page = await kind.list(app, { ...start, limit });
    // After a full page, the later kinds are only asked whether they have resources.
    const isFull = resources.length === PAGE_SIZE && page.resources.length > 0;
    if (isFull) return { resources, nextCursor: cursorOf(kinds, index, '') };
    resources.push(...page.resources);
    if (page.nextCursor !== undefined) {
      return { resources, nextCursor: cursorOf(kinds, index, page.nextCursor) };
    }
  }
  return { resources };
}

/** The kind of a URI. Throws VALIDATION_ERROR if there is none. */
export function requireKind(uri: string, kinds: readonly ResourceKind[]): ResourceKind {
  const kind = kinds.find((each) => each.owns(uri));
  if (kind !== undefined) return kind;
  throw notAResource(uri);
}

function notAResource(uri: string): AppError {
  const known = resourceTemplates.map(({ uriTemplate }) => uriTemplate);
  return new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(uri.slice(0, 200))} is not a resource.`,
    {
      hint: `The resources are ${known.join(', ')}.`,
    },
  );
}

function cursorOf(kinds: readonly ResourceKind[], index: number, rest: string): string {
  return index === 0 ? rest : `${kinds[index]?.name}:${rest}`;
}

function parseCursor(
  cursor: string | undefined,
  kinds: readonly ResourceKind[],
): { first: number; rest: string | undefined } {
  const first = kinds.findIndex(({ name }, index) => index > 0 && cursor?.startsWith(`${name}:`));
  if (first < 0 || cursor === undefined) return { first: 0, rest: cursor };
  const rest = cursor.slice(cursor.indexOf(':') + 1);
  return { first, rest: rest === '' ? undefined : rest };
}
