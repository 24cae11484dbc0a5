/**
 * Searches messages, notes, insights of one context, and facts with one question. Recall ranks each kind.
 * The answer has the best result of each kind, then the second best of each, and so on, so that each kind
 * has results on the first page.
 */
import { systemClock } from '../base/clock.js';
import type { SnippetStyle } from '../recall/recall-snippet.js';
import { type RecalledTexts, ShortTextRecall } from '../recall/short-text-recall.js';
import type { Insight, InsightStore } from '../stores/insights/insights.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import type { Triple } from '../stores/knowledge-graph/model/triple.js';
import type { FoundHit, MessageSearch } from './message-search.js';
import type { SearchCaller } from './messages/keyword-search.js';
import { contentOf, type IndexedNote } from './notes/note-index.js';
import type { NoteSearch } from './notes/note-search.js';
import type { NoteSection } from './notes/note-sections.js';
import type { MemorySource, SearchTier } from './search-names.js';

/** Length of snippets of notes and insights. */
const SNIPPET_WORDS = 150;
/** Only this many of the newest facts are searched. By default the graph has at most 5 000. */
const MAX_FACTS = 20_000;

type Marks = Omit<SnippetStyle, 'words'>;

export interface MemoryQuery {
  readonly query: string;
  readonly sources: readonly MemorySource[];
  /** Only insights of this context are searched. */
  readonly context: string;
  /** Other contexts of the same project. */
  readonly alsoIn: readonly string[];
  /** True if facts that have ended are searched too. */
  readonly includeEnded: boolean;
  /** True: only insights with a tag, and facts with a subject, whose words are all in the query. */
  readonly named: boolean;
  readonly limit: number;
  readonly marks: Marks;
}

export type MemoryHit =
  | { readonly source: 'messages'; readonly message: FoundHit }
  | {
      readonly source: 'notes';
      readonly note: IndexedNote;
      readonly line: number;
      readonly text: string;
    }
  | { readonly source: 'insights'; readonly id: string; readonly text: string }
  | { readonly source: 'facts'; readonly fact: Triple };

export interface MemoryResults {
  /** Best first. */
  readonly hits: readonly MemoryHit[];
  /** Number of matches of each kind. */
  readonly totals: Readonly<Partial<Record<MemorySource, number>>>;
  readonly tier: SearchTier;
  /** The phrase of a time that the question names, if no message is from that time. */
  readonly emptyTime?: string;
}

export interface MemoryStores {
  readonly messageSearch: MessageSearch;
  readonly noteSearch: NoteSearch;
  readonly insights: InsightStore;
  readonly kg: KnowledgeGraph;
}

interface Found {
  readonly hits: readonly MemoryHit[];
  readonly total: number;
}

export class MemorySearch {
  readonly #stores: MemoryStores;
  /** Made at the first search, because each starts with the function words of all languages. */
  #notes: ShortTextRecall | undefined;
  #facts: ShortTextRecall | undefined;

  constructor(stores: MemoryStores) {
    this.#stores = stores;
  }

  /** Throws CANCELLED, FILESYSTEM_ERROR or VALIDATION_ERROR (no context). */
  async search(request: MemoryQuery, caller: SearchCaller = {}): Promise<MemoryResults> {
    let tier: SearchTier = 'words';
    let time: Pick<MemoryResults, 'emptyTime'> = {};
    const found = new Map<MemorySource, Found>();
    for (const source of request.sources) {
      if (source === 'messages') {
        const messages = await this.#searchMessages(request, caller);
        ({ tier, time } = messages);
        found.set(source, messages);
      } else if (source === 'notes') found.set(source, await this.#searchNotes(request, caller));
      else if (source === 'insights')
        found.set(source, await this.#searchInsights(request, caller));
      else found.set(source, await this.#searchFacts(request, caller));
    }
    const totals = Object.fromEntries([...found].map(([source, { total }]) => [source, total]));
    return { hits: interleaved([...found.values()], request.limit), totals, tier, ...time };
  }

  async #searchMessages({ query, limit, marks: snippet }: MemoryQuery, caller: SearchCaller) {
    const asked = { query, mode: 'auto' as const, filters: {}, limit, offset: 0, snippet };
    const { hits, total, tier, emptyTime } = await this.#stores.messageSearch.search(asked, caller);
    const time = emptyTime === undefined ? {} : { emptyTime };
    const found = hits.map((message) => ({ source: 'messages' as const, message }));
    return { hits: found, total, tier, time };
  }

  async #searchNotes(
    { query, limit, marks }: MemoryQuery,
    { signal }: SearchCaller,
  ): Promise<Found> {
    const sections = new Map<string, SectionOfNote>();
    for (const note of await this.#stores.noteSearch.notes()) {
      for (const section of note.sections) {
        sections.set(`${section.line}:${note.path}`, { note, section });
      }
    }
    this.#notes ??= new ShortTextRecall();
    const asked = await this.#notes.ask(query, textsOf(sections, textOfSection), { limit, signal });
    const toHit = ({ note, section }: SectionOfNote) => {
      const text = asked.snippet(contentOf(section).trim(), { ...marks, words: SNIPPET_WORDS });
      return { source: 'notes' as const, note, line: section.line, text };
    };
    return foundOf(asked, sections, limit, toHit);
  }

  /** Builds a new index for each call, so that counts of other contexts have no influence. */
  async #searchInsights(
    { query, context, alsoIn, named, limit, marks }: MemoryQuery,
    { signal }: SearchCaller,
  ): Promise<Found> {
    const insights = await this.#stores.insights.list({ context, alsoIn });
    const byId = new Map(insights.map((insight) => [insight.id, insight]));
    const texts = textsOf(byId, ({ content, tags = [] }) => [content, ...tags].join('\n'));
    const most = named ? insights.length : limit;
    const asked = await new ShortTextRecall().ask(query, texts, { limit: most, signal });
    const toHit = ({ id, content }: Insight) => {
      const text = asked.snippet(content.trim(), { ...marks, words: SNIPPET_WORDS });
      return { source: 'insights' as const, id, text };
    };
    const isNamed = ({ tags = [] }: Insight) => tags.some(asked.names);
    return foundOf(asked, byId, limit, toHit, named ? isNamed : undefined);
  }

  async #searchFacts(
    { query, includeEnded: includeClosed, named, limit }: MemoryQuery,
    { signal }: SearchCaller,
  ): Promise<Found> {
    const page = { limit: MAX_FACTS, offset: 0, order: 'newest' as const };
    // Without facts that have not begun.
    const filter = includeClosed ? { includeClosed } : { asOf: systemClock.now() };
    const { triples } = await this.#stores.kg.query(filter, page);
    const facts = new Map(triples.map((fact) => [idOf(fact), fact]));
    this.#facts ??= new ShortTextRecall();
    const most = named ? triples.length : limit;
    const asked = await this.#facts.ask(query, textsOf(facts, textOf), { limit: most, signal });
    const toHit = (fact: Triple) => ({ source: 'facts' as const, fact });
    const isNamed = ({ subject }: Triple) => asked.names(subject);
    return foundOf(asked, facts, limit, toHit, named ? isNamed : undefined);
  }
}

interface SectionOfNote {
  readonly note: IndexedNote;
  readonly section: NoteSection;
}

const textOfSection = ({ note, section }: SectionOfNote) =>
  `${note.path}\n${section.headings.join('\n')}\n${contentOf(section)}`;

/** One after the other, so that not all texts are made at once. */
function* textsOf<T>(
  things: ReadonlyMap<string, T>,
  textOf: (thing: T) => string,
): Generator<readonly [id: string, text: string]> {
  for (const [id, thing] of things) yield [id, textOf(thing)];
}

/** The same at each search, so that a new fact does not change the ids of the others. */
const idOf = ({ subject, predicate, object, ts, validTo }: Triple) =>
  JSON.stringify([ts, subject, predicate, object, validTo]);

/** Predicates such as `works_at` and `worksAt` are split into words. */
const textOf = ({ subject, predicate, object }: Triple) =>
  `${subject} ${predicate.replace(/[_-]/g, ' ').replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' ')} ${object}`;

/** `isWanted`: the hits must then be all matches, because only those that pass are counted. */
function foundOf<T>(
  asked: RecalledTexts,
  byId: ReadonlyMap<string, T>,
  limit: number,
  toHit: (thing: T) => MemoryHit,
  isWanted?: (thing: T) => boolean,
): Found {
  const all = asked.ids.flatMap((id) => byId.get(id) ?? []);
  if (isWanted === undefined) return { total: asked.total, hits: all.map(toHit) };
  const wanted = all.filter(isWanted);
  return { total: wanted.length, hits: wanted.slice(0, limit).map(toHit) };
}

/** The best of each kind, then the second best of each, and so on. */
function interleaved(kinds: readonly Found[], limit: number): MemoryHit[] {
  const longest = Math.max(0, ...kinds.map(({ hits }) => hits.length));
  const all = Array.from({ length: longest }, (_, at) =>
    kinds.flatMap(({ hits }) => hits[at] ?? []),
  );
  return all.flat().slice(0, limit);
}
