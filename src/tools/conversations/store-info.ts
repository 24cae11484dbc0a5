/**
 * The tool `store_info`: shows where the data is and which settings apply.
 * It is listed with every choice of toolsets, so that a user can always ask where the data is.
 */
import { z } from 'zod';
import { isAppError } from '../../base/errors.js';
import type { Importer } from '../../import/importer.js';
import type { Retention } from '../../maintenance/retention/retention.js';
import { ruleSchema } from '../../maintenance/retention/rule-schema.js';
import { versionOf } from '../../stores/format-migrations.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import { defineTool, optionalInt, optionalText, READS, success } from '../define-tool.js';

/** A damaged disk can damage thousands of files; the answer stays short. */
const MAX_DAMAGED = 20;

/** Where the store is, and whether it can be written. */
const placeFields = () => ({
  version: z.string(),
  formatVersion: z.int().describe('Version of the file format.'),
  root: z.string(),
  rootSource: z.string().describe('Which setting has set the root.'),
  conversationLogsDir: z.string(),
  configFile: z.string().describe("The user's configuration file, if there is one."),
  indexCachePath: optionalText(
    'Path of the cache of the search index; absent if the index is built at every start.',
  ),
  unavailable: z
    .object({
      isAway: z.boolean().describe('Whether the folder is not available.'),
      reason: z.string(),
      since: z.string(),
      waiting: z.int().describe('Number of writes that wait in memory.'),
      refused: z.int().describe('Writes that waited in memory and then failed.'),
      whatToDo: z.string(),
    })
    .describe('Why the store cannot be written now; absent if it can be written.')
    .exactOptional(),
});

/** Number of items, damaged files, and the search index. */
const contentFields = () => ({
  conversations: z.int().describe('Number of readable conversations.'),
  messages: z.int(),
  damaged: z
    .array(z.object({ conversationId: z.string(), code: z.string(), message: z.string() }))
    .describe('Conversations whose file cannot be read (at most 20 are named).'),
  insights: z
    .object({
      count: z.int().describe('Number of readable insights of all contexts.'),
      damaged: z
        .array(z.object({ file: z.string(), code: z.string(), message: z.string() }))
        .describe('Files that cannot be read (at most 20 are named).'),
    })
    .describe('The insights in memory-bank/insights.'),
  index: z
    .object({
      isBuilt: z.boolean().describe('Whether all messages can be searched now.'),
      messages: z.int().describe('Number of messages in the index.'),
      terms: z.int().describe('The number of different words.'),
    })
    .describe('The search index.'),
});

/** Background work: file watching, embeddings, imports, size. */
const upkeepFields = () => ({
  watching: z
    .object({
      mode: z
        .enum(['watching', 'scanning'])
        .describe(
          'scanning: Daybook reads the folders regularly, because the system cannot report changes.',
        ),
      watchedFolders: z.int(),
      errors: z.int().describe('Errors of the system while watching, since the start.'),
    })
    .describe('How Daybook detects changed files; absent while it watches no files.')
    .exactOptional(),
  embeddings: z
    .object({
      mode: z.string(),
      state: z.enum(['starting', 'embedding', 'ready', 'failed']),
      model: z.string().exactOptional(),
      embedded: z.int().describe('Number of passages with a vector.'),
      passages: z.int(),
      damagedFiles: z.int().describe('Number of damaged files of vectors that were made again.'),
      error: z.object({ code: z.string(), message: z.string() }).exactOptional(),
    })
    .describe('Vectors for search by meaning; absent if they are off.')
    .exactOptional(),
  imports: z
    .array(
      z.object({
        tool: z.string(),
        path: z.string(),
        deletes: optionalText('What this tool deletes automatically, and when.'),
        isWatched: z.boolean().describe('Whether running servers import its new sessions.'),
      }),
    )
    .describe('Other tools that store conversations on this machine.'),
  size: z
    .object({
      sizeBytes: z.int().describe('Size of conversations and memory bank.'),
      trashBytes: z.int(),
      limitBytes: optionalInt('Limit from DAYBOOK_MAX_SIZE_MB; absent if there is no limit.'),
    })
    .describe(
      'Size of the store. A store at its limit accepts no new data; the trash does not count.',
    ),
});

/** Retention policy, start command and settings. */
const settingFields = () => ({
  retention: z
    .object({
      rules: z.array(ruleSchema),
      bySize: z.boolean(),
      problem: optionalText('Why the policy cannot be read.'),
      lastRun: z
        .object({
          at: z.string(),
          moved: z.int(),
          removed: z.int(),
          skipped: z.int(),
        })
        .describe(
          'Number of conversations that were moved to the trash, removed from the trash permanently, or could not be moved.',
        )
        .exactOptional(),
    })
    .describe('What Daybook moves to the trash automatically; absent without a policy.')
    .exactOptional(),
  start: z
    .object({
      command: z.string(),
      args: z.array(z.string()),
      startLine: z.string().describe('The same as a command for a shell.'),
      initLine: z.string().describe('Command that adds Daybook to the clients on this machine.'),
    })
    .describe('How a client on this machine starts Daybook with this store.')
    .exactOptional(),
  settings: z.object({
    toolsets: z.array(z.string()),
    fsync: z.boolean(),
    maxMessages: z.int(),
    logLevel: z.string(),
    perplexity: z.object({
      configured: z.boolean().describe('Whether an API key is set.'),
      backend: z.string(),
      baseUrl: z.string(),
    }),
  }),
});

export const storeInfo = defineTool({
  name: 'store_info',
  toolset: 'conversations',
  alwaysListed: true,
  title: 'Where the data is',
  description:
    'Shows where the conversations are stored, how many there are, and the current settings. Use it when the user asks where the data is, or when a tool is missing or refuses a call.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      ...placeFields(),
      ...contentFields(),
      ...upkeepFields(),
      ...settingFields(),
    }),
  annotations: READS,
  async run(_input, app) {
    const { conversations, embeddings, importer, insights, search, facts, retention, size } = app;
    const policy = await retentionFacts(retention);
    const { start, ...others } = facts;
    const vectors = embeddings.progress();
    const heads = await conversations.list();
    const { isBuilt, messages, terms } = search.status();
    const { mode, watchedFolders = 0, errors = 0 } = conversations.watching() ?? {};
    const unavailable = app.deferredWrites.state();
    return {
      formatVersion: versionOf('conversation'),
      ...others,
      ...(start && { start: { ...start, args: [...start.args] } }),
      settings: { ...facts.settings, toolsets: [...facts.settings.toolsets] },
      conversations: heads.length,
      messages: heads.reduce((sum, { messageCount }) => sum + messageCount, 0),
      insights: await insightFacts(insights),
      index: { isBuilt, messages, terms },
      imports: await otherTools(importer),
      size: await size.measure(),
      ...(unavailable && {
        unavailable: { ...unavailable, refused: unavailable.refused.length },
      }),
      ...(policy && { retention: policy }),
      ...(vectors && { embeddings: { mode: embeddings.mode, ...vectors } }),
      ...(mode && { watching: { mode, watchedFolders, errors } }),
      damaged: conversations
        .damaged()
        .slice(0, MAX_DAMAGED)
        .map(({ conversationId, error: { code, message } }) => ({ conversationId, code, message })),
    };
  },
});

async function otherTools(importer: Importer) {
  const watched = new Set((await importer.watched()).map(({ path }) => path));
  return (await importer.locations()).map(({ title, path, deletes }) => ({
    tool: title,
    path,
    ...(deletes !== undefined && { deletes }),
    isWatched: watched.has(path),
  }));
}

async function retentionFacts(retention: Retention) {
  try {
    const policy = await retention.policy.read();
    if (policy === undefined) return undefined;
    const run = await retention.lastRun();
    const { at = '', moved = 0, removed = 0, skipped = 0 } = run ?? {};
    const lastRun = { at, moved, removed, skipped };
    return { rules: [...policy.rules], bySize: policy.bySize, ...(run && { lastRun }) };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { rules: [], bySize: false, problem: error.message };
  }
}

async function insightFacts(insights: InsightStore) {
  try {
    const count = (await insights.all()).length;
    const damaged = insights.damaged().slice(0, MAX_DAMAGED);
    return {
      count,
      damaged: damaged.map(({ name, error: { code, message } }) => ({ file: name, code, message })),
    };
  } catch (error) {
    if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
    const { code, message } = error; // the folder cannot be opened
    return { count: 0, damaged: [{ file: 'insights', code, message }] };
  }
}
