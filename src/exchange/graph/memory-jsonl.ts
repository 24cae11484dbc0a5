/**
 * Converts `memory.jsonl` of the official `@modelcontextprotocol/server-memory` to triples and back without
 * loss. Uses no files. A line is an entity (name, type, observations) or a relation (from, to, type):
 *
 *   entity type        (name, "entity type", type)
 *   observation        (name, "observation", text)
 *   long observation   (name, "observation note", path of a note that holds the text)
 *   relation           (from, type, to)
 *
 * Empty texts, and relations whose type is one of the three above, are escaped by a backslash at the
 * beginning. A text that would look like an escaped one is escaped too, so that each text has exactly one
 * escaped form.
 */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { isPart, type TripleKey } from '../../stores/knowledge-graph/model/triple.js';

const TYPE = 'entity type';
const OBSERVATION = 'observation';
const OBSERVATION_NOTE = 'observation note';

const entitySchema = z.object({
  type: z.literal('entity'),
  name: z.string(),
  entityType: z.string(),
  observations: z.array(z.string()),
});
const relationSchema = z.object({
  type: z.literal('relation'),
  from: z.string(),
  to: z.string(),
  relationType: z.string(),
});
const lineSchema = z.discriminatedUnion('type', [entitySchema, relationSchema]);
export type MemoryLine = z.output<typeof lineSchema>;

/** The fields of each kind of line. */
export const MEMORY_FIELDS: Readonly<Record<MemoryLine['type'], readonly string[]>> = {
  entity: Object.keys(entitySchema.shape),
  relation: Object.keys(relationSchema.shape),
};

/** A fact of a line, or a part that no triple can represent. */
export type MemoryItem =
  | { readonly kind: 'fact'; readonly triple: TripleKey }
  | { readonly kind: 'long'; readonly entity: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** Throws VALIDATION_ERROR if the value is not a line of that file. */
export function memoryLineOf(value: unknown): MemoryLine {
  const parsed = lineSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError(
    'VALIDATION_ERROR',
    'The line is neither an entity (name, entityType, observations) nor a relation (from, to, relationType).',
  );
}

export function itemsOf(line: MemoryLine): MemoryItem[] {
  if (line.type === 'relation') {
    const { from, to, relationType } = line;
    return [factOrRefusal(escaped(from), escapedPredicate(relationType), escaped(to))];
  }
  const { name, entityType, observations } = line;
  const subject = escaped(name);
  if (!isPart(subject)) return [refusal('name')];
  const items = observations.map((text): MemoryItem => {
    const object = escaped(text);
    if (isPart(object))
      return { kind: 'fact', triple: { subject, predicate: OBSERVATION, object } };
    return { kind: 'long', entity: name, text };
  });
  // Without its type, an entity with an empty type is still known by its observations; one without
  // observations needs the type.
  if (entityType === '' && items.length > 0) return items;
  return [factOrRefusal(subject, TYPE, escaped(entityType)), ...items];
}

/** The same path for the same observation, so that the note is written once. */
export function notePathOf(entity: string, text: string): string {
  const words = entity
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  const name = words.slice(0, 40) || 'entity';
  return `observations/${name}-${sha256Hex(JSON.stringify([entity, text])).slice(0, 16)}.md`;
}

/** The triple for a long observation whose text is in a note. */
export function noteTriple(entity: string, path: string): TripleKey {
  return { subject: escaped(entity), predicate: OBSERVATION_NOTE, object: path };
}

/**
 * The lines for triples in their order: entities first, then relations. `textOf` returns the text of a
 * note; if it returns `undefined`, the observation is left out.
 */
export async function memoryLinesOf(
  triples: AsyncIterable<TripleKey>,
  textOf: (path: string) => Promise<string | undefined>,
): Promise<MemoryLine[]> {
  const entities = new Map<string, { types: string[]; observations: string[] }>();
  const relations: MemoryLine[] = [];
  for await (const { subject, predicate, object } of triples) {
    const name = unescaped(subject);
    if (![TYPE, OBSERVATION, OBSERVATION_NOTE].includes(predicate)) {
      const relationType = unescapedPredicate(predicate);
      relations.push({ type: 'relation', from: name, to: unescaped(object), relationType });
      continue;
    }
    const text = predicate === OBSERVATION_NOTE ? await textOf(object) : unescaped(object);
    if (text === undefined) continue;
    const entity = entities.get(name) ?? { types: [], observations: [] };
    entities.set(name, entity);
    (predicate === TYPE ? entity.types : entity.observations).push(text);
  }
  const lines = [...entities].flatMap(([name, entity]) => entityLines(name, entity));
  return [...lines, ...relations];
}

/** Usually one line. Further types, and an empty type beside observations, need lines of their own. */
function entityLines(
  name: string,
  { types, observations }: { types: readonly string[]; observations: string[] },
): MemoryLine[] {
  const [first = '', ...others] = types.filter((type) => type !== '');
  const line = (entityType: string, texts: string[] = []): MemoryLine => ({
    type: 'entity',
    name,
    entityType,
    observations: texts,
  });
  const isEmptyType = types.includes('');
  const main = first !== '' || observations.length > 0 ? [line(first, observations)] : [];
  return [...main, ...others.map((type) => line(type)), ...(isEmptyType ? [line('')] : [])];
}

const escaped = (text: string) => (/^\\*$/.test(text) ? `\\${text}` : text);
const unescaped = (text: string) => (/^\\+$/.test(text) ? text.slice(1) : text);

const RESERVED = `(?:${[TYPE, OBSERVATION, OBSERVATION_NOTE].join('|')})?`;
const NEEDS_ESCAPE = new RegExp(`^\\\\*${RESERVED}$`);
const ESCAPED = new RegExp(`^\\\\+${RESERVED}$`);
const escapedPredicate = (text: string) => (NEEDS_ESCAPE.test(text) ? `\\${text}` : text);
const unescapedPredicate = (text: string) => (ESCAPED.test(text) ? text.slice(1) : text);

function factOrRefusal(subject: string, predicate: string, object: string): MemoryItem {
  const wrong = Object.entries({ subject, predicate, object }).find(([, part]) => !isPart(part));
  if (wrong !== undefined) return refusal(wrong[0]);
  return { kind: 'fact', triple: { subject, predicate, object } };
}

function refusal(part: string): MemoryItem {
  const reason = `The ${part} has more than 200 characters, or it is not valid text.`;
  return { kind: 'refused', reason };
}
