/** `daybook search`: the results of the tool `search_messages`, from the cached or a new index. */
import type { z } from 'zod';
import type { App } from '../../app.js';
import { AppError, isAppError } from '../../base/errors.js';
import { TRY_FUZZY } from '../../tools/answers/no-results.js';
import { operatorNote } from '../../tools/answers/search-answer.js';
import { foundMessages, searchMessages } from '../../tools/conversations/search-messages.js';
import { findConversation, namesOf } from '../arguments/find-conversation.js';
import { NOTHING_FOUND, OK } from '../errors/exit-status.js';
import { reportFailure } from '../errors/failure.js';
import { reportNotListed } from '../notices/not-listed.js';
import { reportOtherRoot } from '../notices/other-root.js';
import { reportLeftOut } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withLocalTimes } from '../options/days.js';
import { columnsOf } from '../terminal/columns.js';
import { withRoot } from '../terminal/command-line.js';
import { showText } from '../terminal/pager.js';
import { MATCH_END, MATCH_START, paintFor } from '../terminal/paint.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { escapeControls, terminalJson } from '../terminal/terminal-text.js';
import { type Times, timesFor, zoneFor } from '../terminal/times.js';
import { withCommandNames } from '../tools/command-names.js';
import { noneLeft } from '../tools/paging.js';
import { checkedInput } from '../tools/tool-options.js';
import { hitBlock, neighboursOf } from '../views/search-hits.js';
import { withApp } from '../with-app.js';
import { withArchives } from '../with-archives.js';

export interface SearchOptions {
  readonly matchType?: string;
  readonly mode?: string;
  readonly explain?: boolean;
  readonly activity?: boolean;
  readonly conversation?: string;
  readonly module?: string;
  readonly tag?: string;
  readonly role?: string;
  readonly from?: string;
  readonly to?: string;
  readonly limit?: string;
  readonly all?: boolean;
  readonly offset?: string;
  readonly json?: boolean;
  readonly archive?: boolean;
  readonly context?: string;
}

const MAX_CONTEXT = 10;

/** Maximum `limit` of the tool. The command accepts more. */
const TOOL_LIMIT = 100;

type Found = z.output<typeof searchMessages.output>;
type Input = z.output<typeof searchMessages.input>;

/** Prints results to stdout, errors and notes to stderr, and sets the exit status. */
export async function search(words: readonly string[], options: SearchOptions, flags: Flags) {
  try {
    const query = words.join(' ');
    if (query.trim() === '') throw new AppError('VALIDATION_ERROR', 'The query is empty.');
    const { limit, context: around, ...others } = options;
    const context = contextOf(around);
    const wanted = options.all ? Number.POSITIVE_INFINITY : numberOf(limit);
    const isLarge = wanted !== undefined && wanted > TOOL_LIMIT;
    if (isLarge && !options.all && !Number.isSafeInteger(wanted))
      throw new AppError('VALIDATION_ERROR', '--limit must be a whole number.');
    const input = inputOf(query, { ...others, limit: isLarge ? TOOL_LIMIT : wanted });
    const open = options.archive ? withArchives : withApp;
    const most = wanted ?? input.limit;
    const request = { input: { ...input, limit: most }, context, options, flags };
    await open(flags, (app, signal) => run(app, signal, request), { isReading: true });
  } catch (error) {
    await reportFailure(error, flags, OPTIONS);
  }
}

type Wanted = Omit<SearchOptions, 'limit' | 'context'> & { readonly limit: number | undefined };

interface Request {
  /** Its `limit` may be greater than that of the tool. */
  readonly input: Input;
  /** Number of messages to show before and after each result. */
  readonly context: number;
  readonly options: SearchOptions;
  readonly flags: Flags;
}

async function run(
  app: App,
  signal: AbortSignal,
  { input, context, options, flags }: Request,
): Promise<void> {
  const { conversation } = options;
  const conversationId =
    conversation === undefined
      ? undefined
      : await findConversation(app.conversations, conversation);
  const filtered = {
    ...withLocalTimes(input, zoneFor(flags)),
    ...(conversationId !== undefined && { conversationId }),
  };
  const found = await searchOnce(app, signal, filtered);
  if (options.json) console.log(terminalJson(found));
  else {
    await print(found, app, { from: input.offset, context, times: timesFor(flags) });
    const operator = operatorNote(filtered, app.messageSearch);
    if (operator !== undefined) console.error(operator);
    showHints(found, options, { embeddings: app.embeddings.mode, flags });
  }
  const isNothing = found.total === 0 || noneLeft(input, found) !== undefined;
  process.exitCode = isNothing ? NOTHING_FOUND : OK;
  await reportLeftOut('conversations', app, flags);
  if (found.total === 0 && !options.json) {
    if (options.archive) console.error('Only archives were searched, because of --archive.');
    else await reportNotListed(app, flags);
  }
  if (found.total === 0) await reportOtherRoot(configuration(flags));
}

/** Throws VALIDATION_ERROR with the name of the option. */
function inputOf(query: string, options: Wanted): Input {
  const {
    conversation: _,
    from,
    to,
    limit,
    offset,
    json,
    all: __,
    archive: ___,
    ...same
  } = options;
  const given = {
    query,
    ...same,
    startDate: from,
    endDate: to,
    limit,
    offset: numberOf(offset),
    ...(json ? {} : { highlightStart: MATCH_START, highlightEnd: MATCH_END }),
  };
  const present = Object.entries(given).filter(([, value]) => value !== undefined);
  const labelOf = (field: string) => OPTIONS[field] ?? 'The query';
  return checkedInput(searchMessages, Object.fromEntries(present), labelOf);
}

const OPTIONS: Record<string, string> = {
  matchType: '--match-type',
  mode: '--mode',
  role: '--role',
  limit: '--limit',
  offset: '--offset',
  conversationId: '--conversation',
  module: '--module',
  tag: '--tag',
  startDate: '--from',
  endDate: '--to',
};

function contextOf(text: string | undefined): number {
  const count = Number(text ?? 0);
  if (Number.isInteger(count) && count >= 0 && count <= MAX_CONTEXT) return count;
  throw new AppError(
    'VALIDATION_ERROR',
    `--context must be a whole number from 0 to ${MAX_CONTEXT}.`,
  );
}

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number(text));

async function searchOnce(app: App, signal: AbortSignal, input: Input): Promise<Found> {
  const found = await withProgressBar(async (progress) => {
    const call = { signal, progress };
    if (!input.activity) {
      app.search.start('once');
      await app.search.built(call);
    }
    if (app.messageSearch.usesRecall(input)) {
      await app.recall.ready({ ...call, maxWaitMs: Number.POSITIVE_INFINITY });
      await loadVectors(app);
    }
    return foundMessages(input, app, call, {
      maxTokens: Number.POSITIVE_INFINITY,
      ...(input.matchType === undefined && { ifUnknown: TRY_FUZZY }),
    });
  });
  return searchMessages.output.parse(found);
}

/** If the model cannot be used, the search uses only words, and a line on stderr shows this. */
async function loadVectors({ embeddings }: App): Promise<void> {
  try {
    await embeddings.load();
  } catch (error) {
    if (!isAppError(error)) throw error;
    console.error(`The search used only words, not meaning: ${escapeControls(error.message)}`);
  }
}

function showHints(
  { tier }: Found,
  { mode }: SearchOptions,
  { embeddings, flags }: { embeddings: App['embeddings']['mode']; flags: Flags },
): void {
  if ((mode === 'semantic' || mode === 'hybrid') && tier !== 'vectors') {
    const next =
      embeddings === 'off'
        ? 'To compare meanings, run daybook embeddings enable.'
        : 'To see whether the model can be used, run daybook embeddings; to make missing vectors, run daybook embeddings update.';
    const line = `Without embeddings, only words and their forms were compared. ${next}`;
    console.error(withRoot(flags, line));
  }
}

async function print(
  { results, total, hasMore, nextOffset, relaxed, explanation }: Found,
  { conversations }: App,
  {
    from,
    context,
    times,
  }: { readonly from: number; readonly context: number; readonly times: Times },
): Promise<void> {
  if (total === 0) {
    const why = withCommandNames(explanation ?? '', OPTIONS);
    console.error(`Nothing found. ${escapeControls(why)}`.trimEnd());
    return;
  }
  const none = noneLeft({ offset: from }, { total });
  if (none !== undefined) {
    console.error(none);
    return;
  }
  const paint = paintFor(process.stdout);
  if (relaxed) console.error('No message has all of the words. These messages have some of them.');
  const heads = results.map(
    ({ conversationId }) => conversations.knownHead(conversationId) ?? { conversationId },
  );
  const names = namesOf(heads);
  const columns = process.stdout.isTTY ? columnsOf(process.stdout) : undefined;
  const blocks: string[] = [];
  for (const hit of results) {
    const around = await neighboursOf(conversations, hit, context);
    blocks.push(hitBlock(hit, around, names, { paint, times, columns }));
  }
  await showText(blocks.join(context > 0 ? '\n\n' : '\n'));
  const shown = `${from + 1} to ${from + results.length} of ${total}; times: ${times.zone}`;
  console.error(hasMore ? `${shown}; for more, use --all or --offset ${nextOffset}` : shown);
}
