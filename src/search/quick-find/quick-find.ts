/**
 * Quick find over everything with a name: titles, tags, modules and keys of conversations, names and
 * headings of notes, first lines of insights, subjects of the knowledge graph. The index is built at the
 * first search, and updated at each search from what the stores have in memory. quick-find-index.ts has the
 * MiniSearch index, which allows typing errors.
 */
import { runInSlices } from '../../base/async/time-slice.js';
import { type Clock, systemClock } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import { isExpired, type StoredInsight } from '../../stores/insights/schema.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { SubjectCount } from '../../stores/knowledge-graph/table/graph-query.js';
import type { NoteSearch } from '../notes/note-search.js';
import { ENTRY_KINDS, type EntryKind } from '../search-names.js';
import {
  type FindEntry,
  type FindHit,
  type OtherName,
  QuickFindIndex,
} from './quick-find-index.js';

export interface QuickFindStores {
  readonly conversations: ConversationStore;
  readonly noteSearch: NoteSearch;
  readonly insights: InsightStore;
  readonly kg: KnowledgeGraph;
  readonly clock?: Clock;
}

export interface QuickFindRequest {
  readonly kinds?: readonly EntryKind[];
  readonly limit: number;
}

export interface QuickFindAnswer {
  /** Best first. */
  readonly hits: readonly FindHit[];
  readonly total: number;
  /** Names that complete or correct the query; empty if there are hits. */
  readonly suggestions: readonly string[];
}

/** Further subjects are left out to limit memory. */
const MAX_SUBJECTS = 20_000;
const MAX_SUGGESTIONS = 5;
const FIRST_LINE_CHARACTERS = 200;

export class QuickFind {
  readonly #stores: QuickFindStores;
  readonly #clock: Clock;
  readonly #index = new QuickFindIndex();
  #earlier: Promise<unknown> = Promise.resolve();

  constructor(stores: QuickFindStores) {
    this.#stores = stores;
    this.#clock = stores.clock ?? systemClock;
  }

  /**
   * Finds everything whose name has the words of the query. Calls wait for each other, because the index is
   * updated in slices. Throws FILESYSTEM_ERROR.
   */
  find(query: string, request: QuickFindRequest): Promise<QuickFindAnswer> {
    const found = this.#earlier.then(() => this.#find(query, request));
    this.#earlier = found.catch(() => undefined); // its own caller gets the error
    return found;
  }

  async #find(query: string, { kinds, limit }: QuickFindRequest): Promise<QuickFindAnswer> {
    const wanted = new Set(kinds ?? ENTRY_KINDS);
    if (wanted.has('note')) wanted.add('heading');
    await this.#sync(wanted);
    const now = this.#clock.now();
    const found = await runInSlices(this.#index.findInSteps(query, { kinds: wanted, now, limit }));
    const suggestions = found.total > 0 ? [] : this.#index.suggest(query, MAX_SUGGESTIONS, wanted);
    return { ...found, suggestions };
  }

  async #sync(kinds: ReadonlySet<EntryKind>): Promise<void> {
    const { conversations, noteSearch, insights, kg } = this.#stores;
    if (kinds.has('conversation')) {
      await runInSlices(
        this.#index.syncInSteps('conversation', await conversations.list(), entryOfHead),
      );
    }
    if (kinds.has('heading')) {
      const notes = await noteSearch.notes();
      await runInSlices(this.#index.syncInSteps('note', notes, entryOfNote));
      await runInSlices(this.#index.syncInSteps('heading', notes, headingsOf));
    }
    if (kinds.has('insight')) {
      const now = this.#clock.now();
      const current = (await insights.all()).filter(({ insight }) => !isExpired(insight, now));
      await runInSlices(this.#index.syncInSteps('insight', current, entryOfInsight));
    }
    if (kinds.has('subject')) {
      const { subjects } = await kg.subjects({}, { limit: MAX_SUBJECTS, offset: 0 });
      await runInSlices(this.#index.syncInSteps('subject', subjects, entryOfSubject));
    }
  }
}

function entryOfHead(head: ConversationHead): FindEntry[] {
  const { conversationId: id, title = '', tags, module, clientId, updatedAt } = head;
  const names: OtherName[] = [
    ...(clientId === undefined ? [] : [{ field: 'key', text: clientId } as const]),
    ...(module === undefined ? [] : [{ field: 'module', text: module } as const]),
    { field: 'id', text: id },
  ];
  return [
    {
      kind: 'conversation',
      id,
      title,
      names,
      updatedAt: Date.parse(updatedAt),
      ...(tags !== undefined && { tags }),
    },
  ];
}

interface NamedNote {
  readonly path: string;
  readonly modifiedAt: string;
  readonly sections: readonly { readonly line: number; readonly headings: readonly string[] }[];
}

function entryOfNote({ path, modifiedAt }: NamedNote): FindEntry[] {
  return [{ kind: 'note', id: path, title: path, updatedAt: Date.parse(modifiedAt) }];
}

function headingsOf({ path, modifiedAt, sections }: NamedNote): FindEntry[] {
  return sections.flatMap(({ line, headings }) => {
    const title = headings.at(-1);
    if (title === undefined) return [];
    return [
      { kind: 'heading', id: `${path}:${line}`, title, updatedAt: Date.parse(modifiedAt) } as const,
    ];
  });
}

function entryOfInsight({ insight }: StoredInsight): FindEntry[] {
  const { id, content, tags, updated_at: updatedAt } = insight;
  const title = (content.trim().split('\n', 1)[0] ?? '').slice(0, FIRST_LINE_CHARACTERS);
  return [{ kind: 'insight', id, title, updatedAt, ...(tags !== undefined && { tags }) }];
}

function entryOfSubject({ subject }: SubjectCount): FindEntry[] {
  return [{ kind: 'subject', id: subject, title: subject }];
}
