/**
 * Imports everything except conversations: notes (note-import.ts), insights, facts and state. An existing entry
 * with another content is not changed, and is named in the report.
 */
import { AppError, isAppError } from '../base/errors.js';
import { derivedUuid } from '../base/ids.js';
import { isSameJson } from '../base/json.js';
import { readInsight } from '../stores/insights/insight-file.js';
import type { Insight, InsightStore } from '../stores/insights/insights.js';
import { INSIGHT_ID } from '../stores/insights/schema.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { checkTriple, type NewTriple } from '../stores/knowledge-graph/model/triple.js';
import type { StateStore } from '../stores/state/state.js';
import { addLeftOut, addProblem, differsHere, type ImportOutcome } from './import-outcome.js';
import { NoteImport, type NoteStores } from './note-import.js';
import type {
  ImportedGraph,
  ImportedInsight,
  ImportedNote,
  ImportedState,
  ImportedTriple,
  RecordLocation,
} from './source-interface.js';

export interface NonConversationStores extends NoteStores {
  readonly insights: InsightStore;
  readonly kg: KnowledgeGraph;
  readonly graphImport: GraphLines;
  readonly state: Pick<StateStore, 'get' | 'set'>;
}

/** Imports lines of a knowledge graph; `added` counts the lines that were not there before. */
interface GraphLines {
  import(request: {
    readonly text: string;
    readonly longObservations: 'notes';
    readonly dryRun: boolean;
    readonly planned: Planned['graph'];
  }): Promise<{
    readonly added: number;
    readonly notes: readonly string[];
    readonly refused: readonly { line: number; code: string; reason: string }[];
    readonly unknownFields: readonly { name: string; lines: number }[];
  }>;
}

type Other = ImportedNote | ImportedInsight | ImportedTriple | ImportedGraph | ImportedState;

/** What a dry run would have stored, also of the inputs before. */
interface Planned {
  /** By id. */
  readonly insights: Map<string, Insight>;
  /** The facts of graphs, and the paths of their notes. */
  readonly graph: { readonly facts: NewTriple[]; readonly notes: Set<string> };
  /** The facts that are not of a graph. */
  readonly facts: NewTriple[];
  /** Fields and keys of the state. */
  readonly state: Set<string>;
}

const FACTS_AT_ONCE = 500;
/** Errors that end the import, because no other record could be imported either. */
const FATAL_ERRORS: readonly AppError['code'][] = ['STORAGE_FULL', 'FILESYSTEM_ERROR'];

export class NonConversationImport {
  readonly #stores: NonConversationStores;
  readonly #outcome: ImportOutcome;
  readonly #dryRun: boolean;
  readonly #planned: Planned = {
    insights: new Map(),
    graph: { facts: [], notes: new Set() },
    facts: [],
    state: new Set(),
  };
  readonly #notes: NoteImport;
  #facts: NewTriple[] = [];
  #deletedInsights: Promise<ReadonlySet<string>> | undefined;

  constructor(stores: NonConversationStores, outcome: ImportOutcome, dryRun: boolean) {
    this.#stores = stores;
    this.#outcome = outcome;
    this.#dryRun = dryRun;
    this.#notes = new NoteImport(stores, outcome, dryRun);
  }

  /**
   * Imports one item. Facts, and the marks of notes, are collected and are durable after `end`. Throws
   * STORAGE_FULL or FILESYSTEM_ERROR.
   */
  importOne(item: Other): Promise<void> {
    return this.#reportProblem(item, async () => {
      if (item.type === 'note') await this.#notes.importOne(item);
      else if (item.type === 'insight') await this.#insight(item);
      else if (item.type === 'graph') await this.#graph(item);
      else if (item.type === 'state') await this.#state(item);
      else await this.#fact(item);
    });
  }

  /**
   * Writes the collected facts and marks. All items are durable when it resolves. Throws STORAGE_FULL or
   * FILESYSTEM_ERROR.
   */
  async end(path: string): Promise<void> {
    await this.#reportProblem({ path }, () => this.#storeFacts());
    await this.#reportProblem({ path }, () => this.#notes.end());
  }

  async #reportProblem(at: RecordLocation, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isAppError(error) || FATAL_ERRORS.includes(error.code)) throw error;
      addProblem(this.#outcome, at, error);
    }
  }

  async #insight({ value, path, fileTimeMs = 0 }: ImportedInsight): Promise<void> {
    const { insights } = this.#stores;
    const given = value['id'];
    const isOwn = typeof given === 'string' && INSIGHT_ID.test(given.toLowerCase());
    const id = isOwn ? given.toLowerCase() : derivedUuid('insight', JSON.stringify(value));
    const there = this.#planned.insights.get(id) ?? (await insights.get(id));
    // Without a time it is not newer than the one that is here.
    const modifiedAt = there?.updated_at ?? Math.max(0, Math.round(fileTimeMs));
    const stored = await insights.asStored(readInsight(value, { id, path, modifiedAt }));
    if (there !== undefined) {
      // A person may have written a secret, which is masked in the given insight.
      const masked = await insights.asStored({ insight: there, extra: {} });
      return requireSame(masked.insight, stored.insight);
    }
    this.#deletedInsights ??= insights
      .trashed()
      .then((trashed) => new Set(trashed.map(({ original }) => original)));
    const isDeleted = (await this.#deletedInsights).has(id);
    if (isDeleted) return addLeftOut(this.#outcome, 'insights deleted here');
    if (this.#dryRun) this.#planned.insights.set(id, stored.insight);
    else await insights.put(stored);
    this.#outcome.insights += 1;
  }

  async #graph({ lines: text, path }: ImportedGraph): Promise<void> {
    const own = { dryRun: this.#dryRun, planned: this.#planned.graph };
    const request = { text, longObservations: 'notes', ...own } as const;
    const { added, notes, ...others } = await this.#stores.graphImport.import(request);
    this.#outcome.facts += added;
    this.#outcome.notes += notes.length;
    for (const { line, code, reason: message } of others.refused) {
      addProblem(this.#outcome, { path, record: `line ${line}` }, { code, message });
    }
    for (const { name, lines } of others.unknownFields) {
      addLeftOut(this.#outcome, `the unknown field ${JSON.stringify(name)} of facts`, lines);
    }
  }

  /**
   * Sets only values that are not set here. Differences are not reported, because two stores may be used
   * with different values.
   */
  async #state({ activeConversation, contextWindow, values = {} }: ImportedState): Promise<void> {
    const here = await this.#stores.state.get();
    const planned = this.#planned.state;
    const fields = Object.entries({ activeConversation, contextWindow }).filter(
      ([name, value]) => value !== undefined && !Object.hasOwn(here, name) && !planned.has(name),
    );
    const added = Object.entries(values).filter(
      ([key]) => !Object.hasOwn(here.values, key) && !planned.has(`values ${key}`),
    );
    const change = { ...Object.fromEntries(fields), values: Object.fromEntries(added) };
    const count = fields.length + added.length;
    if (this.#dryRun) {
      for (const [name] of fields) planned.add(name);
      for (const [key] of added) planned.add(`values ${key}`);
    } else if (count > 0) await this.#stores.state.set(change);
    this.#outcome.stateValues += count;
  }

  async #fact({ type: _, path: __, record: ___, ts, ...given }: ImportedTriple): Promise<void> {
    const fact = { ...given, ...(ts !== undefined && { ts }) };
    checkTriple(fact);
    const problem = await this.#stores.kg.problemWhenMasked(fact);
    if (problem !== undefined) throw problem;
    this.#facts.push(fact);
    // A dry run counts all lines together, so that a repeated fact counts once.
    if (!this.#dryRun && this.#facts.length >= FACTS_AT_ONCE) await this.#storeFacts();
  }

  async #storeFacts(): Promise<void> {
    const facts = this.#facts.splice(0);
    if (facts.length === 0) return;
    if (this.#dryRun) {
      const planned = this.#planned.facts;
      const before = await this.#stores.kg.countNew(planned, true);
      for (const fact of facts) planned.push(fact);
      this.#outcome.facts += (await this.#stores.kg.countNew(planned, true)) - before;
    } else {
      const { triples } = await this.#stores.kg.add(facts, { isImport: true, leavesDeleted: true });
      this.#outcome.facts += triples.filter(({ added }) => added).length;
    }
  }
}

/** ALREADY_EXISTS if the given insight is a newer one, or has another text. */
function requireSame(there: Insight, given: Insight): void {
  const { updated_at: _, created_at: __, ...here } = there;
  const { updated_at, created_at: ___, ...now } = given;
  if (isSameJson(here, now)) return;
  const what = `The insight ${given.id}`;
  if (updated_at > there.updated_at) throw isNewer(what);
  if (there.content !== given.content) throw differsHere(what);
}

const isNewer = (what: string) =>
  new AppError(
    'ALREADY_EXISTS',
    `${what} is newer in the import. It was not changed. To replace it by that of another store, run daybook insight export -o FILE there, and daybook insight import --newer FILE here.`,
  );
