/**
 * The tool `get_analytics`: statistics of the store for a range of days: messages, words, tokens and
 * cost, the length of sessions, and distinctive words.
 */
import { z } from 'zod';
import type { Sums } from '../../analytics/message-sums.js';
import { PERIODS } from '../../analytics/periods.js';
import { type ConversationReport, type Report, reportOf } from '../../analytics/report.js';
import { type Topic, topicsOf } from '../../analytics/topics.js';
import type { App } from '../../app.js';
import { hasExistingDay } from '../../base/clock.js';
import { countOf, shortened, shownNames } from '../../base/text/display-text.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { noSuchModule } from '../../stores/modules.js';
import { countsWithin, estimateTokens, maxTokens } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import { defineTool, optionalText, READS, success, type ToolCall } from '../define-tool.js';
import { spanOf, timeZoneField } from '../fields/date-field.js';

const count = z.int();
const sums = {
  conversations: count,
  messages: count,
  words: count,
  tokens: count.describe('Estimated from the length of the text.'),
  billedTokens: count.describe('As reported by the services; 0 without a report.'),
  costs: z.array(z.object({ currency: z.string(), total: z.number() })),
};
const named = z.array(z.object({ name: z.string(), ...sums }));
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, { error: 'must be a day such as 2025-01-24' })
  .refine(hasExistingDay, { error: 'must be a day that exists', abort: true });

const ANALYTICS_PARTS = [
  'periods',
  'modules',
  'roles',
  'models',
  'conversations',
  'week',
  'topics',
] as const;

export const getAnalytics = defineTool({
  name: 'get_analytics',
  toolset: 'context',
  title: 'Figures of the store',
  description:
    'Counts messages, words, tokens and cost by day, week or month, by module, role, model and conversation. It also returns the length of sessions and pauses, the messages by hour of the week, and the distinctive words.',
  input: () =>
    z.strictObject({
      from: day.describe('First day (default: the first message).').exactOptional(),
      to: day.describe('Last day (default: the last message).').exactOptional(),
      module: z.string().max(1000).describe('Only conversations of this module.').exactOptional(),
      role: z.enum(ROLES).describe('Only messages of this role.').exactOptional(),
      period: z.enum(PERIODS).describe('Period of each sum over time.').default('month'),
      timeZone: timeZoneField,
      include: z
        .array(z.enum(ANALYTICS_PARTS))
        .describe('Which parts to return (default: all).')
        .default([...ANALYTICS_PARTS]),
      limit: count
        .min(1)
        .max(100)
        .describe('Maximum length of each list except periods.')
        .default(10),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      timeZone: z.string(),
      note: optionalText('Why figures may be missing.'),
      totals: z.object(sums),
      pace: z.object({
        sessions: count.describe(
          'Number of sessions; a pause of more than 30 minutes starts a new session.',
        ),
        medianMinutes: z.number(),
        longestMinutes: z.number(),
        medianPauseSeconds: z.number(),
        medianMessages: z.number(),
      }),
      periods: named
        .describe('Oldest first, without periods that have no messages.')
        .exactOptional(),
      omittedPeriods: count
        .describe('Number of the oldest periods that did not fit into maxTokens.')
        .exactOptional(),
      omitted: z
        .record(z.string(), count)
        .describe(
          'By name of another list: number of its last entries that did not fit into maxTokens.',
        )
        .exactOptional(),
      modules: named.describe('An empty name means no module.').exactOptional(),
      roles: named.exactOptional(),
      models: named.exactOptional(),
      conversations: z
        .array(
          z.object({
            conversationId: z.string(),
            title: z.string().exactOptional(),
            minutes: z.number().describe('Length of all sessions of the conversation.'),
            ...sums,
          }),
        )
        .describe('The longest conversations.')
        .exactOptional(),
      week: z
        .array(z.array(count))
        .describe('Number of messages by weekday (Monday first) and hour.')
        .exactOptional(),
      topics: z
        .array(z.object({ word: z.string(), messages: count, conversations: count }))
        .describe(
          'Distinctive words of these conversations, the most distinctive first. They are chosen from the 40 most frequent words of each whole conversation, whatever from, to and role are, and the numbers are estimates for whole conversations.',
        )
        .exactOptional(),
    }),
  annotations: READS,
  view: 'figures',
  quotesText: true,
  async run({ include, limit, maxTokens: budget, ...request }, app, call) {
    spanOf({ from: request.from, to: request.to }); // refuses a span that ends before it begins
    const timeZone = request.timeZone ?? app.timeZone();
    const counted = [...(await app.figures.all(call))];
    // Read now, because conversations that are added while the report is made are not in it.
    const uncounted = [...app.conversations.known()].length - counted.length;
    const report = await reportOf(counted, { ...request, timeZone });
    const has = (part: (typeof ANALYTICS_PARTS)[number]) => include.includes(part);
    const first = (groups: readonly Group[]) => groups.slice(0, limit).map(toNamed);
    const around = {
      timeZone,
      ...joinedNote(await notesOn(app, report, uncounted, request.module)),
      totals: report.totals,
      pace: report.pace,
      ...(has('week') && { week: report.week.map((hours) => [...hours]) }),
    };
    const lists = {
      ...(has('periods') && { periods: report.periods.map(toNamed) }),
      ...(has('modules') && { modules: first(report.modules) }),
      ...(has('roles') && { roles: first(report.roles) }),
      ...(has('models') && { models: first(report.models) }),
      ...(has('conversations') && {
        conversations: report.conversations.slice(0, limit).map(toConversation),
      }),
      ...(has('topics') && { topics: await topics(app, report, limit, call) }),
    };
    return { ...around, ...fitting(lists, budget - estimateTokens(around)) };
  },
});

/** While the store is away, the conversations that were neither counted nor used lately cannot be counted. */
async function notesOn({ conversations }: App, report: Report, uncounted: number, module?: string) {
  const unread = `${countOf(uncounted, 'conversation')} cannot be read now, so the figures do not include everything.`;
  return [
    report.totals.messages === 0 ? await noSuchModule(conversations, module) : undefined,
    uncounted > 0 ? unread : undefined,
    ...damagedNotes(conversations),
  ];
}

type Group = readonly [name: string, sums: Sums];

const toNamed = ([name, sums]: Group) => ({ name: shortened(name), ...sums });

function toConversation({ figures: { head }, sums, minutes }: ConversationReport) {
  const { conversationId, title } = head;
  return { conversationId, ...shownNames({ title }), minutes, ...sums, conversations: 1 };
}

async function topics(app: App, report: Report, limit: number, call: ToolCall) {
  if (report.conversations.length === 0) return [];
  await app.search.built(call);
  return topicsOf(report, { figures: app.figures, search: app.search, limit }, call.signal);
}

interface Lists {
  readonly periods?: ReturnType<typeof toNamed>[];
  readonly modules?: ReturnType<typeof toNamed>[];
  readonly roles?: ReturnType<typeof toNamed>[];
  readonly models?: ReturnType<typeof toNamed>[];
  readonly conversations?: ReturnType<typeof toConversation>[];
  readonly topics?: Topic[];
}

/** Shortens the lists so that they fit: of the periods the newest remain, of other lists the first. */
function fitting({ periods, ...others }: Lists, budget: number) {
  const newestFirst = periods?.toReversed();
  const kept = countsWithin({ ...others, ...(newestFirst && { periods: newestFirst }) }, budget);
  const shown = Object.entries(others).map(([name, list]) => [name, list.slice(0, kept[name])]);
  const omitted = Object.entries(others)
    .map(([name, list]) => [name, list.length - (kept[name] ?? 0)] as const)
    .filter(([, left]) => left > 0);
  const omittedPeriods = (periods?.length ?? 0) - (kept['periods'] ?? 0);
  return {
    ...(newestFirst && { periods: newestFirst.slice(0, kept['periods']).reverse() }),
    ...(omittedPeriods > 0 && { omittedPeriods }),
    ...(Object.fromEntries(shown) as Omit<Lists, 'periods'>),
    ...(omitted.length > 0 && { omitted: Object.fromEntries(omitted) }),
  };
}
