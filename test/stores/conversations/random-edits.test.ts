/**
 * Random calls of two stores on one conversation, while a person edits its file. After each step both stores
 * return the same messages with the same ids, with exactly the texts of a plain list, and accept these ids.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import type { Message } from '../../../src/stores/conversations/document/schema.js';
import { printedRandom, rounds, timeLimitMs } from '../../support/rounds.js';
import { openStore, user } from './store.js';

const STEPS = 60;
type Store = Awaited<ReturnType<typeof openStore>>['store'];

class Talk {
  readonly stores: readonly Store[];
  readonly id: string;
  readonly #random: () => number;
  readonly #path: string;
  /** The expected texts, in order. */
  texts: string[];
  #count = 0;

  constructor(stores: readonly Store[], id: string, random: () => number) {
    this.stores = stores;
    this.id = id;
    this.#random = random;
    this.#path = join((stores[0] as Store).path(id), 'conversation.json');
    this.texts = [];
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  any<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  text(): string {
    this.#count += 1;
    return `Text ${this.#count}.`;
  }

  async check(step: string): Promise<readonly Message[]> {
    const [one, other] = await Promise.all(this.stores.map((store) => store.load(this.id)));
    expect(one, step).toEqual(other);
    const { messages = [] } = one ?? {};
    expect(
      messages.map(({ content }) => content),
      step,
    ).toEqual(this.texts);
    expect(new Set(messages.map(({ id }) => id)).size, step).toBe(messages.length);
    return messages;
  }

  async append(store: Store, messages: readonly Message[]): Promise<void> {
    const text = this.text();
    const parent = messages.length > 0 && this.below(2) === 0 ? this.any(messages).id : undefined;
    await store.append(this.id, [{ ...user(text), ...(parent && { parentMessageId: parent }) }]);
    this.texts.push(text);
  }

  async change(store: Store, messages: readonly Message[]): Promise<void> {
    const at = this.below(messages.length);
    const { id = '', content = '' } = messages[at] ?? {};
    if (this.below(2) === 0) {
      const text = this.text();
      await store.edits.update(this.id, id, text, messageHash(content));
      this.texts[at] = text;
    } else {
      await store.edits.remove(this.id, id, messageHash(content));
      this.texts.splice(at, 1);
    }
    const kept: string[] = [];
    for (const { number } of (await store.history.list(this.id)).versions) {
      const version = await store.history.read(this.id, number);
      kept.push(...version.messages.map((each) => each.content));
    }
    expect(kept).toContain(content);
  }

  async restore(store: Store): Promise<void> {
    const { versions } = await store.history.list(this.id);
    if (versions.length === 0) return;
    const { number } = this.any(versions);
    this.texts = (await store.history.read(this.id, number)).messages.map((each) => each.content);
    await store.history.restore(this.id, number);
  }

  /** One change of the file, as people make it. Each is valid. */
  edit(): void {
    const file = JSON.parse(readFileSync(this.#path, 'utf8').replace(/^\uFEFF/, ''));
    const messages = file.messages as Record<string, unknown>[];
    const at = this.below(messages.length);
    const found = messages[at];
    const ways: (() => unknown)[] = [
      () => messages.splice(this.below(messages.length + 1), 0, { ...user(this.text()) }),
      () => messages.splice(at, 1),
      () => messages.sort(() => this.#random() - 0.5),
      () => found && Object.assign(found, { content: this.text() }),
      () => found && Object.assign(found, { id: this.any(messages)['id'] }),
      () => found && Object.assign(found, { id: this.any(['', 5, undefined, `new ${at} é/`]) }),
      () => Object.assign(file, { messageCount: '7', conversationId: 'other', mine: { x: at } }),
    ];
    this.any(ways)();
    const mark = this.any(['', '\uFEFF']);
    const text = JSON.stringify(file, null, this.any([0, 2])).replaceAll(
      '\n',
      this.any(['\n', '\r\n']),
    );
    writeFileSync(this.#path, mark + text);
    this.texts = messages.map(({ content }) => String(content));
  }
}

it(
  'calls and hand edits in any order agree with the file',
  async () => {
    const random = printedRandom('edits of a conversation');
    for (let round = 0; round < rounds(3); round += 1) {
      const { store, another } = await openStore();
      const { conversationId } = await store.create({});
      const talk = new Talk([store, (await another()).store], conversationId, random);
      for (let number = 0; number < STEPS; number += 1) {
        const messages = await talk.check(`round ${round}, step ${number}`);
        const way = talk.below(10);
        const by = talk.any(talk.stores);
        if (way < 3 || messages.length === 0) await talk.append(by, messages);
        else if (way < 6) await talk.change(by, messages);
        else if (way === 6) await talk.restore(by);
        else talk.edit();
      }
      await talk.check(`round ${round}, end`);
    }
  },
  timeLimitMs(300_000),
);
