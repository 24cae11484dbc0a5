/** The tool `get_state`: returns the active conversation, the context window, and the stored values. */
import { z } from 'zod';
import { shortened } from '../../base/text/display-text.js';
import { countWithin, estimateTokens, maxTokens } from '../answers/answer-budget.js';
import { defineTool, optionalFlag, optionalText, READS, success } from '../define-tool.js';
import { jsonObject } from '../fields/json-object.js';

/** The other tokens are for the names of keys whose values do not fit. */
const SHARE_OF_VALUES = 0.75;

export const getState = defineTool({
  name: 'get_state',
  toolset: 'context',
  title: 'Read the stored state',
  description:
    'Returns what set_state stored: the active conversation, contextWindow and other values. Use it at the start of a session.',
  input: () =>
    z.strictObject({
      keys: z
        .array(z.string())
        .max(100)
        .describe('Only these keys of values (default: all).')
        .exactOptional(),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      activeConversation: optionalText('Id or key of a conversation.'),
      activeConversationFound: optionalFlag('False if the active conversation was deleted.'),
      contextWindow: z.int().exactOptional(),
      updatedAt: z.string().exactOptional(),
      values: jsonObject('The stored keys with their values.'),
      valuesUpdatedAt: jsonObject('When each of these keys was last set.'),
      omittedKeys: z
        .array(z.string())
        .describe(
          'Keys whose values did not fit into the answer; ask for them with keys and a larger maxTokens.',
        )
        .exactOptional(),
    }),
  annotations: READS,
  quotesText: true,
  async run({ keys, maxTokens: budget }, { state, conversations }) {
    const { values, valuesUpdatedAt: times, ...known } = await state.get();
    const { activeConversation: active } = known;
    const entries = Object.entries(values).filter(([key]) => keys?.includes(key) ?? true);
    const room = Math.floor(budget * SHARE_OF_VALUES);
    const fitting = entries.filter((entry) => estimateTokens(entry) <= room);
    const shown = new Set(fitting.slice(0, countWithin(fitting, room)));
    const omitted = entries.filter((entry) => !shown.has(entry)).map(([key]) => shortened(key));
    const omittedKeys = omitted.slice(0, countWithin(omitted, budget - room));
    return {
      ...known,
      ...(active === undefined
        ? {}
        : { activeConversationFound: await conversations.exists(active) }),
      values: Object.fromEntries(shown),
      valuesUpdatedAt: Object.fromEntries(
        [...shown].flatMap(([key]) => (Object.hasOwn(times, key) ? [[key, times[key]]] : [])),
      ),
      ...(omittedKeys.length === 0 ? {} : { omittedKeys }),
    };
  },
});
