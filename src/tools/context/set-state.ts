/** The tool `set_state`: stores the active conversation, the context window, and values under any keys. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { shortened } from '../../base/text/display-text.js';
import { notFound } from '../../stores/conversations/conversation-errors.js';
import { estimateTokens } from '../answers/answer-budget.js';
import { maskedField, noteBetween } from '../answers/masked-note.js';
import { CHANGES, defineTool, success } from '../define-tool.js';
import { storedJsonObject } from '../fields/json-object.js';

export const setState = defineTool({
  name: 'set_state',
  toolset: 'context',
  title: 'Store state',
  description:
    'Stores data for the next session; get_state returns it. Omitted fields are not changed; null removes a field.',
  input: () =>
    z.strictObject({
      activeConversation: z
        .string()
        .nullable()
        .describe('Id or key of the conversation to continue; null: none.')
        .exactOptional(),
      contextWindow: z
        .int()
        .min(1)
        .max(10_000)
        .nullable()
        .describe('Default number of messages that get_conversation and session_start return.')
        .exactOptional(),
      values: storedJsonObject(
        'Any keys with JSON values. null removes a key; other keys are not changed.',
      ).exactOptional(),
    }),
  output: () =>
    z.object({
      success,
      updated: z.array(z.string()).describe('Fields and keys that were set or removed.'),
      activeConversation: z.string().exactOptional(),
      contextWindow: z.int().exactOptional(),
      keys: z.array(z.string()).describe('The stored keys (at most 100).'),
      updatedAt: z.string().exactOptional(),
      note: maskedField,
    }),
  annotations: CHANGES,
  writesLater: true,
  async run(change, { state, conversations }) {
    const { values: given = {}, ...fields } = change;
    const updated = [...Object.keys(fields), ...Object.keys(given)];
    if (updated.length === 0) {
      throw new AppError('VALIDATION_ERROR', 'No field was given.', {
        hint: 'Give `activeConversation`, `contextWindow` or `values`.',
      });
    }
    const long = Object.keys(given).find((key) => estimateTokens(given[key]) > MAX_VALUE_TOKENS);
    if (long !== undefined) throw tooLong(long);
    const active = change.activeConversation ?? undefined;
    if (active !== undefined && !(await conversations.exists(active))) throw notFound(active);
    const { values, valuesUpdatedAt: _, ...known } = await state.set(change, { mayDefer: true });
    const stored = Object.fromEntries(Object.keys(given).map((key) => [key, values[key]]));
    return {
      ...known,
      updated,
      keys: Object.keys(values).slice(0, MAX_KEYS).map(shortened),
      ...noteBetween(given, stored),
    };
  },
});

const MAX_KEYS = 100;
/** get_state could not return a longer value. */
const MAX_VALUE_TOKENS = 18_000;

function tooLong(key: string): AppError {
  return new AppError('TOO_LARGE', `The value of ${JSON.stringify(shortened(key))} is too long.`, {
    hint: 'Store long texts as messages or notes, and store only their ids or paths here.',
    details: { key: shortened(key) },
  });
}
