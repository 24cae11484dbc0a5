/**
 * `daybook search`: what the tool `search_messages` finds, for people and for scripts. Looks at the
 * files once and ends; a cached index makes that fast. Status 0: found, 1: nothing found, 2: an error.
 */
import type { z } from 'zod';
import { type App, createApp } from '../app.js';
import { AppError } from '../base/errors.js';
import { searchMessages } from '../tools/conversations/search-messages.js';
import { inCommandWords } from './command-words.js';
import { configuration, type Flags } from './configuration.js';
import { tellFailure } from './failure.js';
import { MATCH_END, MATCH_START, paintFor } from './paint.js';
import { progressBar } from './progress-bar.js';
import { watchStdout } from './stdout.js';
import { escapeControls, oneLine, terminalJson } from './terminal-text.js';

export interface SearchOptions {
  readonly matchType?: string;
  readonly conversation?: string;
  readonly module?: string;
  readonly role?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly offset?: string;
  readonly json?: boolean;
}

const FOUND = 0;
const NOTHING_FOUND = 1;
const FAILED = 2;

type Found = z.output<typeof searchMessages.output>;

/** Prints to stdout and sets the exit status; mistakes and notes go to stderr. */
export async function search(words: readonly string[], options: SearchOptions, flags: Flags) {
  watchStdout(FAILED);
  try {
    const input = inputOf(words.join(' '), options);
    const config = configuration(flags);
    const app = await createApp(config);
    const found = await ask(app, input);
    const damagedCount = app.conversations.damaged().length;
    if (options.json) console.log(terminalJson(found));
    else print(found, input.offset ?? 0);
    if (damagedCount > 0)
      console.error(`${damagedCount} conversations cannot be read: see daybook info.`);
    await app.close();
    process.exitCode = found.total > 0 ? FOUND : NOTHING_FOUND;
  } catch (error) {
    await tellFailure(error, FAILED, OPTIONS);
  }
}

type Input = z.input<typeof searchMessages.input>;

/** VALIDATION_ERROR names the option. */
function inputOf(query: string, options: SearchOptions): Input {
  const { matchType, conversation, module, role, from, to, limit, offset, json } = options;
  const given = {
    ...{ query, matchType, conversationId: conversation, module, role },
    ...{ startDate: from, endDate: to, limit: numberOf(limit), offset: numberOf(offset) },
    ...(json ? {} : { highlightStart: MATCH_START, highlightEnd: MATCH_END }),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const parsed = searchMessages.input.safeParse(Object.fromEntries(present));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const name = OPTIONS[String(issue?.path[0])] ?? 'the query';
  throw new AppError('VALIDATION_ERROR', `${name}: ${issue?.message ?? 'not valid'}.`, {
    hint: 'daybook search --help tells what each option takes.',
  });
}

const OPTIONS: Record<string, string> = {
  ...{ matchType: '--match-type', role: '--role', limit: '--limit', offset: '--offset' },
  ...{ conversationId: '--conversation', module: '--module', startDate: '--from', endDate: '--to' },
};

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

async function ask(app: App, input: Input): Promise<Found> {
  const bar = progressBar(process.stderr);
  const { signal } = new AbortController();
  const call = { signal, isRemote: false, progress: bar.show };
  app.search.start('once');
  await app.search.built(call);
  bar.clear();
  const answer = await searchMessages.run(searchMessages.input.parse(input), app, call);
  return searchMessages.output.parse(answer);
}

function print({ results, total, hasMore, nextOffset, relaxed, explanation }: Found, from: number) {
  if (total === 0) {
    const why = inCommandWords(explanation ?? '', OPTIONS);
    console.error(`Nothing found. ${escapeControls(why)}`.trimEnd());
    return;
  }
  const paint = paintFor(process.stdout);
  if (relaxed) console.error('No message has all of the words; these have some.');
  for (const { conversationId, seq, role, createdAt, title, snippet } of results) {
    const heading = title === undefined ? '' : `  ${oneLine(title)}`;
    console.log(paint.dim(`${conversationId} #${seq} ${role} ${createdAt.slice(0, 16)}`) + heading);
    console.log(`    ${paint.matches(oneLine(snippet))}`);
  }
  const shown = `${from + 1} to ${from + results.length} of ${total}`;
  console.error(hasMore ? `${shown}; more with --offset ${nextOffset}` : shown);
}
