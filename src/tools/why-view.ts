/** The output field `why`: the reasons for which recall found a message. */
import { z } from 'zod';

export const whySchema = z
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
