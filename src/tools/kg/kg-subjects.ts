/** The tool `kg_subjects`: lists the subjects of the knowledge graph. */

import { z } from 'zod';
import { shortened } from '../../base/text/display-text.js';
import { countWithin, maxTokens } from '../answers/answer-budget.js';
import { pagination } from '../answers/offset-page.js';
import { pageFields, pageSchema } from '../answers/triple-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';

export const kgSubjects = defineTool({
  name: 'kg_subjects',
  aliases: ['kg/subjects'],
  toolset: 'kg',
  title: 'List subjects',
  description:
    'Lists the subjects of the knowledge graph in alphabetical order, each with the number of its current facts. Use it to find the names in use before kg_add.',
  input: () =>
    z.strictObject({
      prefix: optionalText('Only subjects that begin with this text.'),
      ...pageFields,
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      ...pageSchema,
      subjects: z.array(z.object({ subject: z.string(), facts: z.int() })),
      note: optionalText('The reason if nothing was found.'),
    }),
  annotations: READS,
  quotesText: true,
  async run({ prefix, limit, offset, maxTokens: budget }, { kg }) {
    const found = await kg.subjects({ prefix }, { limit, offset });
    const subjects = found.subjects.slice(0, countWithin(found.subjects, budget));
    const isUnknown = found.total === 0 && prefix !== undefined;
    return {
      ...pagination(found.total, offset, subjects.length),
      subjects,
      ...(isUnknown && { note: noSubjectNote(prefix) }),
    };
  },
});

const noSubjectNote = (prefix: string) =>
  `No subject of a current fact begins with ${JSON.stringify(shortened(prefix))}. Upper and lower case differ. \`kg_query\` also finds words anywhere in facts.`;
