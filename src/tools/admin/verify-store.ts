/**
 * The tool `verify_store`: runs the checks of `daybook doctor` and changes nothing. No tool repairs the
 * store; a person does that with `daybook doctor --repair`.
 */
import { z } from 'zod';
import { statusOf } from '../../doctor/doctor.js';
import { defineTool, READS, success } from '../define-tool.js';

const MAX_FINDINGS = 50;

export const verifyStore = defineTool({
  name: 'verify_store',
  toolset: 'admin',
  title: 'Check the store',
  description:
    'Checks all stored files, the search index, backups, permissions, locks and the disk, and changes nothing. `daybook doctor --repair` in a terminal repairs what can be repaired.',
  input: () => z.strictObject({}),
  output: () =>
    z.object({
      success,
      isHealthy: z.boolean().describe('Whether there is no finding that needs the user.'),
      steps: z.array(
        z.object({
          check: z.string(),
          checked: z.int().describe('Files or entries that were checked.'),
          durationMs: z.number(),
          findings: z.int(),
          error: z
            .object({ code: z.string(), message: z.string(), hint: z.string() })
            .exactOptional(),
        }),
      ),
      findings: z
        .array(
          z.object({
            check: z.string(),
            severity: z.enum(['error', 'warning', 'note']),
            path: z.string(),
            message: z.string(),
            hint: z.string(),
            repairable: z.boolean(),
          }),
        )
        .describe('At most 50 findings, errors first.'),
      findingsTotal: z.int(),
    }),
  annotations: READS,
  quotesText: true,
  needsStore: () => true,
  async run(_input, { doctor }, { signal, progress }) {
    let done = 0;
    const onStep = ({ check }: { check: string }) => {
      done += 1;
      progress({ progress: done, message: check });
    };
    const { steps } = await doctor.examine({ signal, onStep });
    const all = steps.flatMap(({ findings }) => findings);
    const ordered = SEVERITIES.flatMap((each) => all.filter(({ severity }) => severity === each));
    return {
      isHealthy: statusOf(steps) === 0,
      steps: steps.map((step) => ({ ...step, findings: step.findings.length })),
      findings: ordered.slice(0, MAX_FINDINGS),
      findingsTotal: all.length,
    };
  },
});

const SEVERITIES = ['error', 'warning', 'note'] as const;
