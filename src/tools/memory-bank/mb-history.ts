/** The tool `mb_history`: lists the git commits that changed a note, or returns its text at a commit. */
import { z } from 'zod';
import { linesOf } from '../../stores/memory-bank/note-text.js';
import { maxTokens } from '../answers/answer-budget.js';
import {
  defineTool,
  optionalFlag,
  optionalInt,
  optionalText,
  READS,
  success,
} from '../define-tool.js';
import { linesWithin, notePath } from '../fields/note-fields.js';

export const mbHistory = defineTool({
  name: 'mb_history',
  toolset: 'memory_bank',
  title: 'Git history of a note',
  description:
    'Lists the git commits that changed a note, the newest first, or returns its text at one of them. The list is empty without git.',
  input: () =>
    z.strictObject({
      path: notePath(),
      commit: z.string().max(64).describe('Return the text at this commit.').exactOptional(),
      limit: z.int().min(1).max(1000).describe('Maximum number of commits.').default(50),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      path: z.string(),
      total: optionalInt('Commits, at most 1000.'),
      commits: z
        .array(
          z.object({
            commit: z.string(),
            at: z.string(),
            author: z.string(),
            subject: z.string(),
          }),
        )
        .exactOptional(),
      explanation: optionalText('The reason if there is no commit.'),
      content: z.string().exactOptional(),
      isCut: optionalFlag('True if the text is longer than maxTokens and was cut.'),
    }),
  annotations: READS,
  quotesText: true,
  needsStore: () => true,
  async run({ path, commit, limit, maxTokens: budget }, { noteHistory }) {
    if (commit !== undefined) {
      const lines = linesOf(await noteHistory.textAt(path, commit));
      const { given, isCut } = linesWithin(lines, budget);
      const isShorter = isCut || given.length < lines.length;
      return { path, content: given.join('\n'), ...(isShorter && { isCut: true }) };
    }
    const commits = await noteHistory.commits(path);
    const listed = commits.slice(0, limit).map((each) => ({
      ...each,
      author: each.author.slice(0, MAX_FIELD_LENGTH),
      subject: each.subject.slice(0, MAX_FIELD_LENGTH),
    }));
    const lines = listed.map((each) => JSON.stringify(each));
    const { given, isCut } = linesWithin(lines, budget);
    return {
      path,
      total: commits.length,
      commits: listed.slice(0, isCut ? 0 : given.length),
      ...(commits.length === 0 && { explanation: await noteHistory.whyEmpty(path) }),
    };
  },
});

const MAX_FIELD_LENGTH = 200;
