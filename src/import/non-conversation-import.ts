/**
 * Imports everything except conversations: notes, insights, facts and state. An existing entry with
 * another content is not changed, and is named in the report. Only a note that an import wrote, and that
 * nobody changed since, is replaced by a newer text of its source.
 */
import { isAbsolute } from 'node:path';
import { isoTime } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { derivedUuid } from '../base/ids.js';
import { readStamp } from '../files/read/stamp.js';
import { readInsight } from '../stores/insights/insight-file.js';
import type { InsightStore } from '../stores/insights/insights.js';
import { INSIGHT_ID } from '../stores/insights/schema.js';
import type { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { checkTriple, type NewTriple } from '../stores/knowledge-graph/model/triple.js';
import type { ImportedNoteMark, ImportedNotes } from '../stores/memory-bank/imported-notes.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import { hashOf, withFinalNewline } from '../stores/memory-bank/note-text.js';
import type { StateStore } from '../stores/state/state.js';
import { addLeftOut, addProblem, type ImportOutcome } from './import-outcome.js';
import type {
  ImportedGraph,
  ImportedInsight,
  ImportedNote,
  ImportedState,
  ImportedTriple,
} from './source-interface.js';

export interface OtherStores {
  readonly memoryBank: MemoryBank;
  readonly importedNotes: ImportedNotes;
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
  /** By path: the texts of notes. */
  readonly notes: Map<string, string>;
  /** By id: the texts of insights. */
  readonly insights: Map<string, string>;
  /** The facts of graphs, and the paths of their notes. */
  readonly graph: { readonly facts: NewTriple[]; readonly notes: Set<string> };
  /** The facts that are not of a graph. */
  readonly facts: NewTriple[];
  /** Fields and keys of the state. */
  readonly state: Set<string>;
}

interface KnownNotes {
  /** By path of the note. */
  readonly marks: Map<string, ImportedNoteMark>;
  /** Paths of notes that were deleted here. */
  readonly inTrash: ReadonlySet<string>;
}

const FACTS_AT_ONCE = 500;
/** Errors that end the import, because no other record could be imported either. */
const FATAL_ERRORS: readonly AppError['code'][] = ['STORAGE_FULL', 'FILESYSTEM_ERROR'];

export class OtherImport {
  readonly #stores: OtherStores;
  readonly #outcome: ImportOutcome;
  readonly #dryRun: boolean;
  readonly #planned: Planned = {
    notes: new Map(),
    insights: new Map(),
    graph: { facts: [], notes: new Set() },
    facts: [],
    state: new Set(),
  };
  #facts: NewTriple[] = [];
  #notes: Promise<KnownNotes> | undefined;
  /** Paths of the notes of this input. */
  readonly #named = new Set<string>();
  /** Whether a mark changed since the marks were stored. */
  #isMarked = false;

  constructor(stores: OtherStores, outcome: ImportOutcome, dryRun: boolean) {
    this.#stores = stores;
    this.#outcome = outcome;
    this.#dryRun = dryRun;
  }

  /**
   * Imports one item. Facts, and the marks of notes, are collected and are durable after `end`. Throws
   * STORAGE_FULL or FILESYSTEM_ERROR.
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
   * Writes the collected facts and marks. All items are durable when it resolves. Throws STORAGE_FULL or
   * FILESYSTEM_ERROR.
   */
  async end(path: string): Promise<void> {
    this.#named.clear();
    try {
      await this.#storeFacts();
      await this.#storeMarks();
    } catch (error) {
      if (!isAppError(error) || FATAL_ERRORS.includes(error.code)) throw error;
      addProblem(this.#outcome, { path }, error);
    }
  }

  async #note(item: ImportedNote): Promise<void> {
    const { memoryBank } = this.#stores;
    const { origin, fileTimeMs } = item;
    const note = freePath(item.note, this.#named);
    this.#notes ??= this.#readNotes();
    const { marks, inTrash } = await this.#notes;
    const text = withFinalNewline(item.content);
    const source = hashOf(Buffer.from(text));
    const mark = marks.get(note);
    const updatedAt = fileTimeMs && isoTime(Math.max(0, Math.round(fileTimeMs)));
    const there = await this.#noteAt(note);
    const isSameInSource = mark?.source === source;
    const isOlder = mark?.updatedAt !== undefined && updatedAt && updatedAt < mark.updatedAt;
    const setMark = (stored: string) => {
      if (isSameInSource && mark.stored === stored) return;
      const known = { origin: mark?.origin ?? origin, ...(updatedAt && { updatedAt }) };
      marks.set(note, { source, stored, ...known });
      this.#isMarked = true;
    };
    if (there === undefined) {
      if (inTrash.has(note)) return addLeftOut(this.#outcome, 'notes deleted here');
      setMark((this.#dryRun ? this.#plan(note, text) : await memoryBank.add(note, text)).hash);
      this.#outcome.notes += 1;
    } else if (there.content.trimEnd() === text.trimEnd()) {
      if (!isOlder) setMark(there.hash);
    } else if (isSameInSource) return;
    else if (mark === undefined || (await isOfOther(mark, origin)))
      throw differs(`The note ${note}`);
    else if (isOlder) addLeftOut(this.#outcome, 'older texts of notes');
    else if (mark.stored === there.hash) {
      const edit = () => memoryBank.edit(note, there.hash, () => text);
      setMark((this.#dryRun ? this.#plan(note, text) : await edit()).hash);
      this.#outcome.notesUpdated += 1;
    } else throw differs(`The note ${note}`);
  }

  async #noteAt(path: string): Promise<{ content: string; hash: string } | undefined> {
    const planned = this.#planned.notes.get(path);
    if (planned !== undefined) return this.#plan(path, planned);
    return this.#stores.memoryBank.read(path).catch((error: unknown) => {
      if (isAppError(error, 'E_MB_FILE_NOT_FOUND')) return undefined;
      throw error;
    });
  }

  #plan(path: string, content: string): { content: string; hash: string } {
    this.#planned.notes.set(path, content);
    return { content, hash: hashOf(Buffer.from(content)) };
  }

  async #readNotes(): Promise<KnownNotes> {
    const { importedNotes, memoryBank } = this.#stores;
    const inTrash = new Set((await memoryBank.trashed()).map(({ original }) => original));
    return { marks: await importedNotes.read(), inTrash };
  }

  async #storeMarks(): Promise<void> {
    if (this.#dryRun || !this.#isMarked || this.#notes === undefined) return;
    await this.#stores.importedNotes.write((await this.#notes).marks);
    this.#isMarked = false;
  }

  async #insight({ value, path, fileTimeMs = 0 }: ImportedInsight): Promise<void> {
    const { insights } = this.#stores;
    const given = value['id'];
    const isOwn = typeof given === 'string' && INSIGHT_ID.test(given.toLowerCase());
    const id = isOwn ? given.toLowerCase() : derivedUuid('insight', JSON.stringify(value));
    const stored = readInsight(value, {
      id,
      path,
      modifiedAt: Math.max(0, Math.round(fileTimeMs)),
    });
    const { content } = stored.insight;
    const there = this.#planned.insights.get(id) ?? (await insights.get(id))?.content;
    if (there === undefined) {
      if (this.#dryRun) this.#planned.insights.set(id, content);
      else await insights.put(stored);
      this.#outcome.insights += 1;
    } else if (there !== content) throw differs(`The insight ${id}`);
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

/** The path, or the path with the first free number. Only systems with letter case distinguish `A` and `a`. */
function freePath(wanted: string, used: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : wanted.replace(/(\.md)?$/i, ` ${count}$1`);
    const key = path.normalize('NFC').toLowerCase();
    if (used.has(key)) continue;
    used.add(key);
    return path;
  }
}

/** Whether the note came from another folder, which still exists, or from another document of a source. */
async function isOfOther({ origin: known }: ImportedNoteMark, origin: string | undefined) {
  if (known === undefined || origin === undefined || known === origin) return false;
  return !isAbsolute(known) || (await readStamp(known)) !== undefined;
}

function differs(what: string): AppError {
  return new AppError('ALREADY_EXISTS', `${what} exists with other content. It was not changed.`);
}
