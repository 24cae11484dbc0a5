/**
 * `daybook demo`: creates a store with invented conversations, notes, insights and facts, so that a new
 * user can see the page with content. The folder must be new or empty.
 */
import { resolve } from 'node:path';
import type { App } from '../../app.js';
import { DAY_MS, isoTime, systemClock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { entriesOf } from '../../files/paths/folders.js';
import {
  DEMO_FACTS,
  DEMO_FOLLOW_UPS,
  DEMO_INSIGHTS,
  DEMO_MODELS,
  DEMO_NOTES,
  DEMO_SUBJECTS,
} from '../demo/demo-content.js';
import type { Flags } from '../options/configuration.js';
import { daybookLine } from '../terminal/command-line.js';
import { report } from '../terminal/output.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

const CONVERSATIONS = 300;
const DAYS = 360;
/** Hours of the day of the conversations; an hour that occurs twice is chosen twice as often. */
const HOURS = [8, 9, 9, 10, 13, 14, 17, 19, 20, 20, 21, 21, 22];
const SEED = 20250124;

/** Throws VALIDATION_ERROR if the folder is not empty. */
export async function demo(
  folder: string,
  { json }: { json?: boolean },
  flags: Flags,
): Promise<void> {
  const root = resolve(folder);
  if ((await entriesOf(root)).length > 0) {
    throw new AppError('VALIDATION_ERROR', `${root} is not empty.`, {
      hint: 'Give the name of a new folder, so that the invented conversations are not mixed with your files.',
      details: { root },
    });
  }
  await withApp(
    { ...flags, root },
    async (app, signal) => {
      await fill(app, signal);
      report({ success: true, root, conversations: CONVERSATIONS }, json, () => {
        console.log(`${CONVERSATIONS} invented conversations are in ${escapeControls(root)}.`);
        console.log(`To see them, run: ${daybookLine({ root }, 'open')}`);
      });
    },
    { mayCreateRoot: true },
  );
}

async function fill(app: App, signal: AbortSignal): Promise<void> {
  const below = randomGenerator(SEED);
  const now = systemClock.now();
  const ids: string[] = [];
  for (let index = 0; index < CONVERSATIONS; index += 1) {
    signal.throwIfAborted();
    ids.push((await app.conversations.create(conversationOf(index, now, below))).conversationId);
  }
  for (const [path, content] of DEMO_NOTES) await app.memoryBank.add(path, content);
  for (const [content, tag] of DEMO_INSIGHTS) {
    await app.insights.save({ content, context: 'global', tags: [tag] });
  }
  const facts = DEMO_FACTS.map(([subject, predicate, object], index) => {
    const days = (DEMO_FACTS.length - index) * 17;
    const conversationId = ids[Math.floor((1 - days / DAYS) * CONVERSATIONS)] ?? '';
    return { subject, predicate, object, ts: now - days * DAY_MS, conversationId };
  });
  await app.kg.add(facts);
}

/** Returns an integer from 0 to `limit - 1`. */
type Below = (limit: number) => number;

function conversationOf(index: number, now: number, below: Below) {
  const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;
  const { module, things, questions, answers, tags } = pick(DEMO_SUBJECTS);
  const thing = pick(things);
  const day = Math.floor((index / CONVERSATIONS) * DAYS);
  const midnight = Math.floor(now / DAY_MS) * DAY_MS - (DAYS - day) * DAY_MS;
  let time = midnight + (pick(HOURS) * 60 + below(60)) * 60_000;
  const say = (text: string) => text.replaceAll('{thing}', thing);
  const messages = Array.from({ length: 2 + 2 * below(6) }, (_, turn) => {
    time += (20 + below(turn % 2 === 0 ? 240 : 40)) * 1000;
    const createdAt = isoTime(time);
    if (turn % 2 === 0) {
      const content = turn === 0 ? say(pick(questions)) : pick(DEMO_FOLLOW_UPS);
      return { role: 'user' as const, content, createdAt };
    }
    const metadata = answeredBy(pick(DEMO_MODELS), below);
    return { role: 'assistant' as const, content: say(pick(answers)), createdAt, metadata };
  });
  return {
    module,
    messages,
    createdAt: messages[0]?.createdAt ?? isoTime(time),
    updatedAt: isoTime(time),
    title: `${thing.charAt(0).toUpperCase()}${thing.slice(1)}: ${say(pick(questions))}`,
    ...(below(3) === 0 && { tags: [pick(tags)] }),
    ...(below(30) === 0 && { pinned: true }),
  };
}

/** The metadata of an answer. Only answers of a search service have sources and a price. */
function answeredBy(model: string, below: Below) {
  if (!model.startsWith('sonar')) return { model };
  return {
    model,
    provider: 'perplexity',
    usage: { totalTokens: 400 + below(3000) },
    cost: { currency: 'USD', total: (5 + below(90)) / 1000 },
    sources: [{ id: 1, url: 'https://example.org/almanac', title: 'An almanac' }],
  };
}

/** A linear congruential generator, so that the store is the same in every run and on every machine. */
function randomGenerator(seed: number): Below {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
