/** Why recall returns a message, as tools show it. No tool of its own. */
import { z } from 'zod';

export const WHY = z
  .object({
    words: z
      .array(z.string())
      .describe('Words of the query in the message, as typed.')
      .exactOptional(),
    title: z
      .array(z.string())
      .describe('Words only in the title of the conversation.')
      .exactOptional(),
    forms: z.array(z.string()).describe('Words in the message in another form.').exactOptional(),
    neighbours: z.array(z.string()).describe('Words in the messages beside it.').exactOptional(),
    time: z.array(z.string()).describe('Words in its date or speaker.').exactOptional(),
    meaning: z.number().describe('Similarity of meaning (cosine).').exactOptional(),
  })
  .describe('Why the message was found.');
