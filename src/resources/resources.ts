/**
 * All kinds of resources as one list, one set of addresses.
 */
import type { App } from '../app.js';
import { AppError } from '../base/errors.js';
import { conversationResources } from './conversation-resources.js';
import { graphResources } from './graph-resources.js';
import { noteResources } from './note-resources.js';
import type { ListedResource, ResourceKind } from './resource-kind.js';

const PAGE = 50;

/** What is stored, in the order of the list; the cursors of the first have no prefix. */
export const resourceKinds: readonly ResourceKind[] = [
  conversationResources,
  graphResources,
  noteResources,
];

export const resourceTemplates = resourceKinds.flatMap(({ templates }) => templates);

/** A page of the list: kind after kind, each in an order of its own. VALIDATION_ERROR: bad cursor. */
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
    const limit = Math.max(1, PAGE - resources.length);
    const within = index === first && rest !== undefined ? { cursor: rest } : {};
    const page = await kind.list(app, { ...within, limit });
    // A full page asks each later kind only whether it has anything.
    const isFull = resources.length === PAGE && page.resources.length > 0;
    if (isFull) return { resources, nextCursor: cursorOf(kinds, index, '') };
    resources.push(...page.resources);
    if (page.nextCursor !== undefined) {
      return { resources, nextCursor: cursorOf(kinds, index, page.nextCursor) };
    }
  }
  return { resources };
}

/** The kind that an address belongs to. VALIDATION_ERROR: none. */
export function requireKind(uri: string, kinds: readonly ResourceKind[]): ResourceKind {
  const kind = kinds.find((each) => each.owns(uri));
  if (kind !== undefined) return kind;
  throw notAResource(uri);
}

export function notAResource(uri: string): AppError {
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
