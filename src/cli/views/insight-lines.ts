/** The output of `daybook insight` for people: a line with id, time, context and tags, then the text. */
import type { z } from 'zod';
import { shortened } from '../../base/text/display-text.js';
import type { deleteInsight } from '../../tools/insights/delete-insight.js';
import type { getInsight } from '../../tools/insights/get-insight.js';
import type { saveInsight } from '../../tools/insights/save-insight.js';
import type { searchInsights } from '../../tools/insights/search-insights.js';
import { withoutMarks } from '../terminal/paint.js';
import { escapeControls, escapeLines, oneLine } from '../terminal/terminal-text.js';
import type { Answer, View } from './view.js';

type Insight = NonNullable<z.output<typeof getInsight.output>['insight']>;
type Hit = z.output<typeof searchInsights.output>['results'][number];

/** Where a snippet was cut. */
const ELLIPSIS = '...';

/** For `insight list` and `insight search`, which shows the snippet instead of the whole text. */
export function insightBlocks(answer: Answer, view: View): string {
  const { results, context } = answer as z.output<typeof searchInsights.output>;
  const blocks = (results as readonly (Insight & Partial<Hit>)[]).map((insight) => {
    const text = escapeLines(shownText(insight));
    return [factsOf(insight, view, context), indented(view.paint.matches(text))].join('\n');
  });
  return blocks.join('\n\n');
}

/** A snippet of tags or metadata does not say what the insight is, so its first line is before them. */
function shownText({ content, snippet }: Insight & Partial<Hit>): string {
  if (snippet === undefined) return content;
  const [part = ''] = withoutMarks(snippet).split(ELLIPSIS).filter(Boolean);
  if (content.includes(part.trim())) return snippet;
  const [first = ''] = content.trim().split('\n', 1);
  return `${shortened(first)}\n${snippet}`;
}

/** For `insight get` and `insight update`. */
export function wholeInsight(answer: Answer, view: View): string {
  const insight = answer['insight'] as Insight | undefined;
  if (insight === undefined) return '';
  const { metadata, content } = insight;
  const lines = [factsOf(insight, view), indented(escapeLines(content))];
  if (metadata !== undefined) lines.push(view.paint.dim(escapeControls(JSON.stringify(metadata))));
  return lines.join('\n');
}

/** Id, time of saving, the context if it is not `context`, tags, expiry. */
function factsOf(insight: Insight, { paint, times }: View, context?: string): string {
  const { id, created_at, expires_at, tags = [] } = insight;
  const facts = [
    id,
    times.minute(created_at),
    ...(insight.context === context ? [] : [insight.context]),
    ...tags.map((tag) => `#${tag}`),
    ...(expires_at === undefined ? [] : [`expires ${times.minute(expires_at)}`]),
  ];
  return paint.dim(oneLine(facts.join('  ')));
}

const indented = (text: string) =>
  text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');

export function savedInsight(answer: Answer): string {
  const { id, context } = answer as z.output<typeof saveInsight.output>;
  return `Saved ${id} for ${oneLine(context)}`;
}

export function deletedInsight(answer: Answer, { commandLine }: View): string {
  const { id, deleted, trashName } = answer as z.output<typeof deleteInsight.output>;
  if (!deleted) return '';
  return trashName === undefined
    ? `Removed permanently: ${id}`
    : `Deleted: ${id}\nTo restore it, run: ${commandLine('restore', id)}`;
}
