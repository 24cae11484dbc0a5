/** Finds an insight by its id, or by a unique beginning of its id. */
import { AppError, isAppError } from '../../base/errors.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import { INSIGHT_ID } from '../../stores/insights/schema.js';

const BEGINNING = /^[0-9a-f][0-9a-f-]{3,34}$/;
const MAX_LISTED = 5;

/**
 * A complete id is returned as it is, unless it is in the trash. Throws VALIDATION_ERROR for no match, CONFLICT
 * for several.
 */
export async function findInsight(store: InsightStore, name: string): Promise<string> {
  const typed = name.trim().toLowerCase();
  if (INSIGHT_ID.test(typed)) {
    if ((await store.get(typed)) === undefined) await requireNotDeleted(store, typed);
    return typed;
  }
  if (!BEGINNING.test(typed)) {
    throw new AppError('VALIDATION_ERROR', `${JSON.stringify(name)} is not the id of an insight.`, {
      hint: 'Give an id or at least its first four characters, such as 6fa4. daybook insight list shows the ids of a project, and daybook find finds insights by their first line.',
    });
  }
  const all = await store.all();
  const ids = all.map(({ insight }) => insight.id).filter((id) => id.startsWith(typed));
  const only = onlyOf(ids, typed);
  if (only === undefined) {
    await requireNotDeleted(store, typed);
    throw new AppError('VALIDATION_ERROR', `No insight has an id that begins with ${typed}.`, {
      hint: 'To see the ids of a project, run daybook insight list.',
      details: { missing: 'insight' },
    });
  }
  return only;
}

/** Like `findInsight`, but also finds insights in the trash, and returns a name in the trash as it is. */
export async function findInsightOrDeleted(store: InsightStore, name: string): Promise<string> {
  const typed = name.trim().toLowerCase();
  if ((await store.trashed()).some((deleted) => deleted.name === name)) return name;
  try {
    return await findInsight(store, name);
  } catch (error) {
    if (!isAppError(error) || error.details?.['isInTrash'] !== true) throw error;
    if (INSIGHT_ID.test(typed)) return typed;
    return onlyOf(await deletedInsights(store, typed), typed) ?? typed;
  }
}

/** The ids of the deleted insights that begin with `name`, each once. */
export async function deletedInsights(
  store: Pick<InsightStore, 'trashed'>,
  name: string,
): Promise<string[]> {
  const typed = name.trim().toLowerCase();
  if (!BEGINNING.test(typed)) return [];
  const ids = (await store.trashed()).map(({ original }) => original);
  return [...new Set(ids.filter((id) => id.startsWith(typed)))];
}

/** `undefined` if there is none, CONFLICT for several. */
export function onlyOf(ids: readonly string[], typed: string): string | undefined {
  if (ids.length < 2) return ids[0];
  const named = ids.slice(0, MAX_LISTED).join(', ');
  const more = ids.length > MAX_LISTED ? ', …' : '';
  throw new AppError(
    'CONFLICT',
    `The id ${typed} matches ${ids.length} insights: ${named}${more}`,
    {
      hint: 'Give more characters of the id.',
      details: { ids },
    },
  );
}

/** VALIDATION_ERROR if the id of an insight in the trash begins with `typed`. */
async function requireNotDeleted(store: InsightStore, typed: string): Promise<void> {
  const deleted = (await store.trashed()).find(({ name }) => name.startsWith(typed));
  if (deleted === undefined) return;
  const { original: id, deletedAt } = deleted;
  const when = deletedAt === undefined ? '' : ` It was deleted at ${deletedAt}.`;
  throw new AppError('VALIDATION_ERROR', `The insight ${id} is in the trash.${when}`, {
    hint: `To restore it, run: daybook restore ${id}`,
    details: { missing: 'insight', isInTrash: true },
  });
}
