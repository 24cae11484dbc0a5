/** Why recall returns a message, as tools show it. No tool of its own. */
import { z } from 'zod';

export const WHY = z
  .object({
    words: z.array(z.string()).describe('Words as typed.').exactOptional(),
    title: z.array(z.string()).describe('Words of the title alone.').exactOptional(),
    forms: z.array(z.string()).describe('Words in another form.').exactOptional(),
    neighbours: z.array(z.string()).describe('Words beside the message.').exactOptional(),
    time: z.array(z.string()).describe('Words of its date or speaker.').exactOptional(),
    meaning: z.number().describe('Cosine of the meanings.').exactOptional(),
  })
  .describe('Why it was found.');
