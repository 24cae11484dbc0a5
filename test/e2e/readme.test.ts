/** The commands that README shows for use without an assistant, typed one after the other as they stand. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MAIN, withPlace } from './harness.js';

const README = resolve(import.meta.dirname, '../../README.md');
const run = promisify(execFile);

it('the commands of README do what it says of them', async () => {
  const readme = await readFile(README, 'utf8');
  const [, commands = ''] = /## Without an assistant\n\n```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  await withPlace(async ({ folder, env }) => {
    const answers = new Map<string, string>();
    for (const command of commands.trim().split('\n')) {
      const script = `daybook() { '${process.execPath}' '${MAIN}' "$@"; }; ${command}`;
      const { stdout } = await run('sh', ['-c', script], { cwd: folder, env });
      answers.set(command.replace(/ *#.*/, ''), stdout);
    }
    expect(answers.get('daybook list garden')).toContain('The garden');
    expect(answers.get('daybook show garden-plan')).toContain('Where should the tomatoes go?');
    expect(answers.get('daybook insight search sand')).toContain('Clay soil needs');
    expect(await readFile(join(folder, 'insights.jsonl'), 'utf8')).toContain('"soil"');
  });
});
