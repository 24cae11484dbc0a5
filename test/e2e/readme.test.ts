/** The commands that README shows for use without an assistant, run one after the other as they are. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { MAIN, withPlace } from './harness.js';

const README = resolve(import.meta.dirname, '../../README.md');
const run = promisify(execFile);

it('the commands in README do what README describes', async () => {
  const readme = await readFile(README, 'utf8');
  const [, commands = ''] =
    /## Without an assistant\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readme) ?? [];
  await withPlace(async ({ folder, env }) => {
    const answers = new Map<string, string>();
    for (const command of commands.trim().split('\n')) {
      if (command.startsWith('daybook open ')) {
        await openAndEnd(folder, env);
        continue;
      }
      const script = `daybook() { '${process.execPath}' '${MAIN}' "$@"; }; ${command}`;
      const { stdout } = await run('sh', ['-c', script], { cwd: folder, env });
      answers.set(command.replace(/ *#.*/, ''), stdout);
    }
    expect(answers.size).toBeGreaterThan(8);
    expect(answers.get('daybook list garden')).toContain('The garden');
    expect(answers.get('daybook show garden-plan')).toContain('Where should the tomatoes go?');
    expect(answers.get('daybook insight search sand')).toContain('Clay soil needs');
    expect(await readFile(join(folder, 'insights.jsonl'), 'utf8')).toContain('"soil"');
  });
});

/** Runs `open`, waits for its link, and ends the server of the page. */
async function openAndEnd(cwd: string, env: NodeJS.ProcessEnv): Promise<void> {
  const child = spawn(process.execPath, [MAIN, 'open'], { cwd, env });
  let shown = '';
  for await (const chunk of child.stdout) {
    shown += chunk;
    if (shown.includes('#open=')) break;
  }
  const ended = child.exitCode ?? once(child, 'exit');
  child.kill();
  await ended;
  expect(shown).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#open=/);
}
