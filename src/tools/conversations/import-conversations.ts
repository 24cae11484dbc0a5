/**
 * The tool `import_conversations`: imports an export or the logs of another program, from a path on this
 * machine or from text. A remote caller can use only paths inside the folders of
 * `DAYBOOK_IMPORT_FOLDERS`.
 */

import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { ImportProgress } from '../../import/importer.js';
import { CHANGES, defineTool, flag, optionalText, success } from '../define-tool.js';
import { dateField, startOf } from '../fields/date-field.js';

const MAX_PROBLEMS = 20;
const MAX_TEXT_LENGTH = 10_000_000;

export const importConversations = defineTool({
  name: 'import_conversations',
  toolset: 'conversations',
  title: 'Import conversations',
  description:
    'Imports conversations from exports of ChatGPT, Claude.ai and other programs, and from folders of agent logs. A repeated import adds only what is new.',
  input: () =>
    z.strictObject({
      path: z
        .string()
        .min(1)
        .describe('Absolute path of a file, zip archive or folder on this machine.')
        .exactOptional(),
      text: z
        .string()
        .min(1)
        .max(MAX_TEXT_LENGTH)
        .describe('The text of the export, instead of path.')
        .exactOptional(),
      name: z
        .string()
        .max(200)
        .describe('File name of the text, such as chat.md; its extension shows the format.')
        .exactOptional(),
      from: optionalText('Kind of source, if it is not recognised.'),
      startDate: dateField('Only conversations that changed after this time'),
      project: optionalText('Only conversations of this project (folder or name).'),
      attachments: flag('Also copy the files of the export.'),
      dryRun: flag('Only show what would be imported.'),
    }),
  output: () =>
    z.object({
      success,
      sources: z.array(z.object({ path: z.string(), kind: z.string(), title: z.string() })),
      added: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      skipped: z.int(),
      messages: z.int(),
      notes: z.int(),
      notesUpdated: z.int(),
      insights: z.int(),
      facts: z.int(),
      stateValues: z.int(),
      attachments: z.int().describe('Number of files that were copied.'),
      masked: z.int().describe('Number of secrets and <private> parts that were not stored.'),
      leftOut: z
        .record(z.string(), z.int())
        .describe('What was not imported on purpose: a count for each reason.'),
      branched: z
        .array(z.string())
        .describe(
          'Conversations that were continued on both sides: the new messages became a branch.',
        ),
      problems: z
        .array(
          z.object({
            path: z.string(),
            record: z.string().exactOptional(),
            code: z.string(),
            message: z.string(),
          }),
        )
        .describe('What could not be read or imported (at most 20 are named).'),
      problemsTotal: z.int(),
    }),
  annotations: CHANGES,
  quotesText: true,
  async run(
    { path, text, name, from, startDate, project, attachments, dryRun },
    { importer },
    call,
  ) {
    requireOne(path, text);
    const { signal, progress, isRemote } = call;
    if (!isRemote) requireAbsolute(path);
    const paths = path === undefined ? [] : [isRemote ? await importer.pathForRemote(path) : path];
    const report = await importer.run({
      paths,
      text: text === undefined ? undefined : { name, content: text },
      since: startDate === undefined ? undefined : isoTime(startOf('startDate', startDate)),
      from,
      project,
      attachments,
      dryRun,
      signal,
      onProgress: (done) => progress(reportOf(done)),
    });
    const { stopped, problems, moreProblems, ...counts } = report;
    if (stopped !== undefined) {
      throw new AppError('STORAGE_FULL', stopped.message, {
        hint: `${countOf(counts.added, 'conversation was', 'conversations were')} imported. Free some disk space, then import again.`,
      });
    }
    return {
      ...counts,
      problems: problems.slice(0, MAX_PROBLEMS),
      problemsTotal: problems.length + moreProblems,
    };
  },
});

/** `progress` is the number of conversations plus the fraction of the current file that was read. */
function reportOf({ conversations, reading }: ImportProgress) {
  const unit = conversations === 1 ? 'conversation' : 'conversations';
  if (reading === undefined) return { progress: conversations, message: unit };
  const { name, bytes, sizeBytes } = reading;
  const part = Math.min(1, bytes / sizeBytes);
  const message = `${unit}; ${Math.floor(100 * part)}% of ${name} is read`;
  return { progress: conversations + part, message };
}

function requireAbsolute(path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return;
  throw new AppError('VALIDATION_ERROR', `${JSON.stringify(path)} is not an absolute path.`, {
    hint: 'Give the whole path, such as "/home/ada/export.zip". The working folder of the server may be any folder, and only a shell replaces "~".',
    details: { field: 'path' },
  });
}

function requireOne(path: string | undefined, text: string | undefined): void {
  if ((path === undefined) === (text === undefined)) {
    throw new AppError('VALIDATION_ERROR', 'Give either path or text.', {
      details: { field: 'path' },
    });
  }
}
