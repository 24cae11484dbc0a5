/**
 * Imports everything except conversations: notes, insights, facts and state. An existing entry with
 * another content is not changed, and is named in the report.
 */
import { AppError, isAppError } from '../base/errors.js';
import { derivedUuid } from '../base/ids.js';
import { readInsight } from '../stores/insights/insight-file.js';
import type { InsightStore } from '../stores/insights/insights.js';
import { INSIGHT_ID } from '../stores/insights/schema.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { checkTriple, type NewTriple } from '../stores/knowledge-graph/model/triple.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import type { StateStore } from '../stores/state.js';
import { addProblem, type ImportOutcome } from './import-outcome.js';
import type {
  ImportedGraph,
  ImportedInsight,
  ImportedNote,
  ImportedState,
  ImportedTriple,
} from './source-interface.js';

export interface OtherStores {
  readonly memoryBank: MemoryBank;
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
  }): Promise<{
    readonly added: number;
    readonly notes: readonly string[];
    readonly refused: readonly { line: number; code: string; reason: string }[];
  }>;
}

type Other = ImportedNote | ImportedInsight | ImportedTriple | ImportedGraph | ImportedState;

const FACTS_AT_ONCE = 500;
/** Errors that end the import, because no other record could be imported either. */
const FATAL_ERRORS: readonly AppError['code'][] = ['STORAGE_FULL', 'FILESYSTEM_ERROR'];

export class OtherImport {
  readonly #stores: OtherStores;
  readonly #outcome: ImportOutcome;
  readonly #dryRun: boolean;
  #facts: NewTriple[] = [];

  constructor(stores: OtherStores, outcome: ImportOutcome, dryRun: boolean) {
    this.#stores = stores;
    this.#outcome = outcome;
    this.#dryRun = dryRun;
  }

  /**
   * Imports one item. Facts are collected and are durable after `end`. Throws STORAGE_FULL or
   * FILESYSTEM_ERROR.
   */
  async importOne(item: Other): Promise<void> {
    try {
      if (item.type === 'note') await this.#note(item);
      else if (item.type === 'insight') await this.#insight(item);
      else if (item.type === 'graph') await this.#graph(item);
      else if (item.type === 'state') await this.#state(item);
      else await this.#fact(item);
    } catch (error) {
      if (!isAppError(error) || FATAL_ERRORS.includes(error.code)) throw error;
      addProblem(this.#outcome, item, error);
    }
  }

  /**
   * Writes the collected facts. All items are durable when it resolves. Throws STORAGE_FULL or
   * FILESYSTEM_ERROR.
   */
  async end(path: string): Promise<void> {
    try {
      await this.#storeFacts();
    } catch (error) {
      if (!isAppError(error) || FATAL_ERRORS.includes(error.code)) throw error;
      addProblem(this.#outcome, { path }, error);
    }
  }

  async #note({ note, content }: ImportedNote): Promise<void> {
    const { memoryBank } = this.#stores;
    const there = await memoryBank.read(note).catch((error: unknown) => {
      if (isAppError(error, 'E_MB_FILE_NOT_FOUND')) return undefined;
      throw error;
    });
    if (there === undefined) {
      if (!this.#dryRun) await memoryBank.add(note, content);
      this.#outcome.notes += 1;
    } else if (there.content.trimEnd() !== content.trimEnd()) throw differs(`The note ${note}`);
  }

  async #insight({ value, path }: ImportedInsight): Promise<void> {
    const { insights } = this.#stores;
    const given = value['id'];
    const isOwn = typeof given === 'string' && INSIGHT_ID.test(given.toLowerCase());
    const id = isOwn ? given.toLowerCase() : derivedUuid('insight', JSON.stringify(value));
    const stored = readInsight(value, { id, path, modifiedAt: 0 });
    const there = await insights.get(id);
    if (there === undefined) {
      if (!this.#dryRun) await insights.put(stored);
      this.#outcome.insights += 1;
    } else if (there.content !== stored.insight.content) throw differs(`The insight ${id}`);
  }

  async #graph({ lines: text, path }: ImportedGraph): Promise<void> {
    const request = { text, longObservations: 'notes', dryRun: this.#dryRun } as const;
    const { added, notes, refused } = await this.#stores.graphImport.import(request);
    this.#outcome.facts += added;
    this.#outcome.notes += notes.length;
    for (const { line, code, reason: message } of refused) {
      addProblem(this.#outcome, { path, record: `line ${line}` }, { code, message });
    }
  }

  /**
   * Sets only values that are not set here. Differences are not reported, because two stores may be used
   * with different values.
   */
  async #state({ activeConversation, contextWindow, values = {} }: ImportedState): Promise<void> {
    const here = await this.#stores.state.get();
    const fields = Object.entries({ activeConversation, contextWindow }).filter(
      ([name, value]) => value !== undefined && !Object.hasOwn(here, name),
    );
    const added = Object.entries(values).filter(([key]) => !Object.hasOwn(here.values, key));
    const change = { ...Object.fromEntries(fields), values: Object.fromEntries(added) };
    const count = fields.length + added.length;
    if (count > 0 && !this.#dryRun) await this.#stores.state.set(change);
    this.#outcome.stateValues += count;
  }

  async #fact({ subject, predicate, object, ts }: ImportedTriple): Promise<void> {
    const fact = { subject, predicate, object, ...(ts !== undefined && { ts }) };
    checkTriple(fact);
    this.#facts.push(fact);
    // A dry run counts all lines together, so that a repeated fact counts once.
    if (!this.#dryRun && this.#facts.length >= FACTS_AT_ONCE) await this.#storeFacts();
  }

  async #storeFacts(): Promise<void> {
    const facts = this.#facts.splice(0);
    if (facts.length === 0) return;
    if (this.#dryRun) this.#outcome.facts += await this.#stores.kg.countNew(facts);
    else {
      const { triples } = await this.#stores.kg.add(facts);
      this.#outcome.facts += triples.filter(({ added }) => added).length;
    }
  }
}

function differs(what: string): AppError {
  return new AppError('ALREADY_EXISTS', `${what} exists with other content. It was not changed.`);
}
