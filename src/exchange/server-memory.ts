/**
 * `memory.jsonl` of the official `@modelcontextprotocol/server-memory`, to triples and back without
 * loss. Pure. A line is an entity (name, type, observations) or a relation (from, to, type):
 *
 *   entity type        (name, "entity type", type)
 *   observation        (name, "observation", text)
 *   long observation   (name, "observation note", path of a note that holds the text)
 *   relation           (from, type, to)
 *
 * What triples cannot say as it is (the empty text, and a relation of one of those three types) has a
 * backslash before it, and so has what would then look like that: each text has one spelling.
 */
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { isPart, type TripleKey } from '../stores/knowledge-graph/model/triple.js';

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

/** What a line comes to: facts, and what no triple can hold. */
export type MemoryItem =
  | { readonly kind: 'fact'; readonly triple: TripleKey }
  | { readonly kind: 'long'; readonly entity: string; readonly text: string }
  | { readonly kind: 'refused'; readonly reason: string };

/** VALIDATION_ERROR where a value is no line of that file. */
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
    return [factOrRefusal(spelled(from), spelledPredicate(relationType), spelled(to))];
  }
  const { name, entityType, observations } = line;
  const subject = spelled(name);
  if (!isPart(subject)) return [refusal('name')];
  const items = observations.map((text): MemoryItem => {
    const object = spelled(text);
    if (isPart(object))
      return { kind: 'fact', triple: { subject, predicate: OBSERVATION, object } };
    return { kind: 'long', entity: name, text };
  });
  // An entity of the empty type is known by its observations, or else by that type.
  if (entityType === '' && items.length > 0) return items;
  return [factOrRefusal(subject, TYPE, spelled(entityType)), ...items];
}

/** The triple that stands for a long observation. */
export function noteTriple(entity: string, path: string): TripleKey {
  return { subject: spelled(entity), predicate: OBSERVATION_NOTE, object: path };
}

/**
 * The lines for triples in their order: entities first. `textOf` gives the text behind the path of a
 * note, or nothing where there is none: then the observation is left out.
 */
export async function memoryLinesOf(
  triples: AsyncIterable<TripleKey>,
  textOf: (path: string) => Promise<string | undefined>,
): Promise<MemoryLine[]> {
  const entities = new Map<string, { types: string[]; observations: string[] }>();
  const relations: MemoryLine[] = [];
  for await (const { subject, predicate, object } of triples) {
    const name = meant(subject);
    if (![TYPE, OBSERVATION, OBSERVATION_NOTE].includes(predicate)) {
      const relationType = meantPredicate(predicate);
      relations.push({ type: 'relation', from: name, to: meant(object), relationType });
      continue;
    }
    const text = predicate === OBSERVATION_NOTE ? await textOf(object) : meant(object);
    if (text === undefined) continue;
    const entity = entities.get(name) ?? { types: [], observations: [] };
    entities.set(name, entity);
    (predicate === TYPE ? entity.types : entity.observations).push(text);
  }
  const lines = [...entities].flatMap(([name, entity]) => entityLines(name, entity));
  return [...lines, ...relations];
}

/** One line, but for what one line cannot say: several types, and the empty type beside observations. */
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

const spelled = (text: string) => (/^\\*$/.test(text) ? `\\${text}` : text);
const meant = (text: string) => (/^\\+$/.test(text) ? text.slice(1) : text);

const RESERVED = `(?:${[TYPE, OBSERVATION, OBSERVATION_NOTE].join('|')})?`;
const TO_SPELL = new RegExp(`^\\\\*${RESERVED}$`);
const SPELLED = new RegExp(`^\\\\+${RESERVED}$`);
const spelledPredicate = (text: string) => (TO_SPELL.test(text) ? `\\${text}` : text);
const meantPredicate = (text: string) => (SPELLED.test(text) ? text.slice(1) : text);

function factOrRefusal(subject: string, predicate: string, object: string): MemoryItem {
  const wrong = Object.entries({ subject, predicate, object }).find(([, part]) => !isPart(part));
  if (wrong !== undefined) return refusal(wrong[0]);
  return { kind: 'fact', triple: { subject, predicate, object } };
}

function refusal(part: string): MemoryItem {
  const reason = `The ${part} has more than 200 characters, or it is not valid text.`;
  return { kind: 'refused', reason };
}
