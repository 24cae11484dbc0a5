/**
 * The operations of the soak. Each changes one item through one server (or as an editor does), and states
 * what the item may look like afterwards.
 */
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deleted, Item, type Kind, live, type State } from './item.js';
import type { Json, Outcome, SoakServer } from './soak-server.js';

/** Returns what the command printed. */
type Command = (...args: string[]) => Promise<string>;
type Operation = (server: SoakServer) => Promise<unknown>;

const CONTEXT = 'project:soak';
const MOST_MESSAGES = 40;
/** By how often they are chosen. */
const CHANGES = {
  conversation: [
    ...['save', 'save', 'save', 'save', 'update', 'edit', 'edit', 'remove', 'import', 'import'],
    ...['branch', 'merge', 'delete', 'prune', 'archive'],
  ],
  note: ['replace', 'replace', 'edit', 'delete'],
  insight: ['replace', 'replace', 'delete'],
  fact: ['replace', 'delete'],
} as const;

export class Operations {
  readonly items: Item[] = [];
  /** What must not happen, in words. */
  readonly problems: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #root: string;
  readonly #random: () => number;
  /** Runs a command of Daybook; a problem if it fails. */
  readonly #command: Command;
  #texts = 0;
  /** The last command of `#sendAway`. */
  #sending: Promise<unknown> = Promise.resolve();

  /** `canEdit`: files may be edited by hand; not those of an encrypted store. */
  readonly #canEdit: boolean;

  constructor(root: string, random: () => number, command: Command, canEdit: boolean) {
    this.#root = root;
    this.#random = random;
    this.#command = command;
    this.#canEdit = canEdit;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  /** A text with a word that no other text has. */
  #text(): string {
    return `zebra w${++this.#texts}q grazes`;
  }

  /** Carries out one random operation. */
  async step(server: SoakServer): Promise<void> {
    const create = this.#random() < 0.2 || this.items.length < 8;
    const item = create
      ? undefined
      : this.#pick(({ state, isInTrash }) => state?.isLive === true || isInTrash);
    const [what, operation] = item === undefined ? this.#creation() : this.#change(item);
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
    if (item !== undefined) item.isBusy = true;
    try {
      await operation(server);
    } finally {
      if (item !== undefined) item.isBusy = false;
    }
  }

  /** A random item that is in one known state and that no other operation changes now. */
  #pick(isWanted: (item: Item) => boolean): Item | undefined {
    const free = this.items.filter(
      (each) => !each.isBusy && each.id !== '' && each.state && isWanted(each),
    );
    return free[this.below(free.length)];
  }

  #creation(): [string, Operation] {
    if (this.below(6) === 0) return ['create by import', (server) => this.#importNew(server)];
    const kinds: readonly Kind[] = ['conversation', 'conversation', 'note', 'insight', 'fact'];
    const kind = kinds[this.below(kinds.length)] ?? 'note';
    return [`create ${kind}`, (server) => this.#create(kind, server)];
  }

  async #create(kind: Kind, server: SoakServer): Promise<void> {
    const name = `${kind}${this.items.length}`;
    const ids = { conversation: name, note: `soak/${name}.md`, insight: '', fact: name };
    const item = new Item(kind, name, ids[kind]);
    this.items.push(item);
    item.isBusy = true;
    const text = this.#text();
    const tool = {
      conversation: 'save_message',
      note: 'mb_add',
      insight: 'save_insight',
      fact: 'kg_add',
    };
    const args: Record<Kind, Json> = {
      conversation: { conversationId: name, role: 'user', content: text, title: name },
      note: { path: item.id, content: text },
      insight: { content: text, context: CONTEXT, tags: [name] },
      fact: { subject: name, predicate: 'is', object: text },
    };
    const answer = await this.#attempt(server, item, tool[kind], args[kind], live([text]));
    if (kind === 'conversation' && answer) item.id = String(answer['conversationId']);
    if (kind === 'insight' && answer) item.id = String(answer['id']);
    item.isBusy = false;
  }

  #change(item: Item): [string, Operation] {
    const state = item.state as State;
    if (!state.isLive) {
      return [`restore ${item.kind}`, (server) => this.#restore(server, item, state)];
    }
    const changes = CHANGES[item.kind].filter((each) => this.#canEdit || each !== 'edit');
    const change = changes[this.below(changes.length)] ?? 'delete';
    const run = {
      save: (server: SoakServer) => this.#saveSome(server, item, state),
      update: (server: SoakServer) => this.#changeMessage(server, item, state, 'update_message'),
      remove: (server: SoakServer) => this.#changeMessage(server, item, state, 'delete_message'),
      import: (server: SoakServer) => this.#importMore(server, item, state),
      prune: (server: SoakServer) => this.#sendAway(server, item, state, 'prune'),
      archive: (server: SoakServer) => this.#sendAway(server, item, state, 'archive'),
      branch: (server: SoakServer) => this.#branch(server, item, state),
      merge: (server: SoakServer) => this.#merge(server, item, state),
      replace: (server: SoakServer) => this.#replace(server, item),
      edit: (server: SoakServer) => this.#edit(server, item, state),
      delete: (server: SoakServer) => this.#delete(server, item, state),
    }[change] as Operation;
    return [`${change} ${item.kind}`, run];
  }

  /** Calls a tool that brings the item from its state to `after`. Its answer, if there was one. */
  async #attempt(server: SoakServer, item: Item, tool: string, args: Json, after: State) {
    const outcome = await server.call(tool, args);
    if (outcome.is === 'done') {
      item.states = [after];
      if (outcome.answer['durable'] === false) this.#wrong(item, tool, args, outcome);
      return outcome.answer;
    }
    if (outcome.is === 'unknown') item.states = [...item.states, after];
    else this.#wrong(item, tool, args, outcome);
    return undefined;
  }

  /** The answer of a call that does not change what the item says; none if it was interrupted. */
  async #ask(server: SoakServer, item: Item, tool: string, args: Json): Promise<Json | undefined> {
    const outcome = await server.call(tool, args);
    if (outcome.is === 'refused') this.#wrong(item, tool, args, outcome);
    return outcome.is === 'done' ? outcome.answer : undefined;
  }

  #wrong(item: Item, tool: string, args: Json, outcome: Outcome): void {
    this.problems.push(`${item.name}: ${tool} ${JSON.stringify([args, outcome])}`);
  }

  /** Several messages at once, through the same server. */
  async #saveSome(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    if (texts.length > MOST_MESSAGES) return;
    const more = Array.from({ length: 1 + this.below(6) }, () => this.#text());
    const saving = { conversationId: item.id, role: 'user' };
    const outcomes = await Promise.all(
      more.map((content) => server.call('save_message', { ...saving, content })),
    );
    const that = (is: Outcome['is']) => more.filter((_, at) => outcomes[at]?.is === is);
    item.states = [live([...texts, ...that('done')], that('unknown'))];
    for (const outcome of outcomes)
      if (outcome.is === 'refused') this.#wrong(item, 'save_message', saving, outcome);
  }

  async #changeMessage(server: SoakServer, item: Item, { texts }: State, tool: string) {
    const read = await this.#ask(server, item, 'get_conversation', { conversationId: item.id });
    const messages = (read?.['messages'] ?? []) as { id: string; hash: string; content: string }[];
    const message = messages[this.below(messages.length)];
    if (message === undefined) return;
    const args = { conversationId: item.id, messageId: message.id, hash: message.hash };
    const others = texts.filter((text) => text !== message.content);
    if (tool === 'delete_message') {
      if (others.length > 0) await this.#attempt(server, item, tool, args, live(others));
      return;
    }
    const content = this.#text();
    await this.#attempt(server, item, tool, { ...args, content }, live([...others, content]));
  }

  async #branch(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    const read = await this.#ask(server, item, 'get_conversation', { conversationId: item.id });
    if (read === undefined) return;
    const last = (read['messages'] as { id: string }[]).at(-1);
    const branch = new Item('conversation', `branch${this.items.length}`, '');
    branch.isBusy = true;
    this.items.push(branch);
    const args = { conversationId: item.id, messageId: last?.id, title: branch.name };
    const made = await this.#attempt(server, branch, 'branch_conversation', args, live(texts));
    if (made) branch.id = String(made['conversationId']);
    branch.isBusy = false;
  }

  async #merge(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    const other = this.#pick((each) => {
      const isFull = texts.length + (each.state?.texts.length ?? 0) > MOST_MESSAGES;
      const isShared = each.state?.texts.some((text) => texts.includes(text)) ?? true;
      return each.kind === 'conversation' && each.state?.isLive === true && !isFull && !isShared;
    });
    if (other === undefined) return;
    other.isBusy = true;
    const merged = new Item('conversation', `merged${this.items.length}`, '');
    merged.isBusy = true;
    this.items.push(merged);
    const both = [...texts, ...(other.state as State).texts];
    const args = { conversationIds: [item.id, other.id], title: merged.name };
    const made = await this.#attempt(server, merged, 'merge_conversations', args, live(both));
    for (const source of [item, other]) {
      const gone = deleted((source.state as State).texts);
      if (made) source.states = [gone];
      else if (merged.states.length > 1) source.states = [...source.states, gone];
      source.isInTrash = true;
      source.isArchived = false;
    }
    if (made) merged.id = String(made['conversationId']);
    other.isBusy = false;
    merged.isBusy = false;
  }

  async #replace(server: SoakServer, item: Item): Promise<void> {
    const content = this.#text();
    let [tool, args]: [string, Json] = ['update_insight', { id: item.id, content }];
    if (item.kind === 'fact') {
      [tool, args] = [
        'kg_add',
        { subject: item.id, predicate: 'is', object: content, replaces: true },
      ];
    } else if (item.kind === 'note') {
      const read = await this.#ask(server, item, 'mb_read', { path: item.id });
      if (read === undefined) return;
      [tool, args] = ['mb_edit', { path: item.id, hash: read['hash'], content }];
    }
    await this.#attempt(server, item, tool, args, live([content]));
  }

  async #delete(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    const permanent = item.kind !== 'fact' && this.#random() < 0.2;
    const calls: Record<Kind, [string, Json]> = {
      conversation: ['delete_conversation', { conversationId: item.id, permanent }],
      note: ['mb_delete', { path: item.id, permanent }],
      insight: ['delete_insight', { id: item.id, permanent }],
      fact: ['kg_delete', { subject: item.id, predicate: 'is', object: texts[0] }],
    };
    item.isInTrash = item.kind !== 'fact' && !permanent;
    item.isArchived = false;
    await this.#attempt(server, item, ...calls[item.kind], deleted(texts));
  }

  async #restore(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    if (!item.isArchived && this.below(3) > 0) {
      const args = { name: item.id, kind: item.kind };
      await this.#attempt(server, item, 'restore_conversation', args, live(texts));
    } else {
      await this.#command('restore', item.id);
      item.states = [live(texts)];
    }
  }

  /** Moves a conversation to the trash or into an archive by a command. */
  async #sendAway(server: SoakServer, item: Item, { texts }: State, command: string) {
    // A tag that neither a branch nor a merged conversation has.
    const tag = `away${++this.#texts}`;
    const args = { conversationId: item.id, tags: [tag] };
    if ((await this.#ask(server, item, 'update_conversation', args)) === undefined) return;
    // One command at a time archives; another one is refused.
    const ways = { prune: ['--tag', tag], archive: ['--tag', tag, '--older-than', '0d'] };
    const words = ways[command as keyof typeof ways] ?? [];
    const sent = this.#sending.then(() => this.#command(command, ...words, '--yes'));
    this.#sending = sent;
    // The command says so if something changed the conversation after it was chosen; then it stays.
    if ((await sent).includes(`${item.id} was not `)) return;
    item.states = [deleted(texts)];
    item.isInTrash = true;
    item.isArchived = command === 'archive';
  }

  async #importNew(server: SoakServer): Promise<void> {
    const item = new Item('conversation', `imported${this.items.length}`, '');
    this.items.push(item);
    item.isBusy = true;
    await this.#import(server, item, [this.#text(), this.#text()]);
    item.isBusy = false;
  }

  /** Imports a newer export of a conversation that was imported, and was not changed here since. */
  async #importMore(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    const { imported } = item;
    const isSame = texts.length === imported.length && texts.every((t) => imported.includes(t));
    if (imported.length === 0 || !isSame) return this.#saveSome(server, item, live(texts));
    const more = Array.from({ length: this.below(3) }, () => this.#text());
    return this.#import(server, item, [...imported, ...more]);
  }

  async #import(server: SoakServer, item: Item, texts: readonly string[]): Promise<void> {
    const messages = texts.map((content) => ({ role: 'user', content }));
    const text = JSON.stringify({ title: item.name, messages });
    const args = { text, name: `${item.name}.json` };
    const done = await this.#attempt(server, item, 'import_conversations', args, live(texts));
    if (done) item.imported = texts;
    if (done && Number(done['problemsTotal'] ?? 0) > 0)
      this.problems.push(`${item.name}: ${JSON.stringify(done)}`);
  }

  /** Changes the file as an editor does: with a temporary file, in place, or in two halves. */
  async #edit(server: SoakServer, item: Item, { texts }: State): Promise<void> {
    const [before, after] = [texts[this.below(texts.length)] ?? '', this.#text()];
    let path = join(this.#root, 'memory-bank', item.id);
    if (item.kind === 'conversation') {
      const read = await this.#ask(server, item, 'get_conversation', { conversationId: item.id });
      if (read === undefined) return;
      const id = String(read['conversationId']);
      path = join(this.#root, 'conversation-logs', id, 'conversation.json');
    }
    const text = readFileSync(path, 'utf8').replace(before, after);
    const way = this.below(3);
    if (way === 0) {
      writeFileSync(`${path}.edit~`, text, { mode: 0o600 });
      renameSync(`${path}.edit~`, path);
    } else if (way === 1) {
      writeFileSync(path, text);
    } else {
      writeFileSync(path, text.slice(0, text.length / 2));
      await new Promise((resolve) => setTimeout(resolve, this.below(300)));
      writeFileSync(path, text);
    }
    item.states = [live([...texts.filter((each) => each !== before), after])];
  }
}
