/**
 * Damaged conversations of an encrypted store: a repair encrypts what it saves, and a conversion reports the
 * files whose texts it cannot convert.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { filesWith, keyIn, run, withKey } from './store.js';

const TEXT = 'MarkMessage at the desk';

async function save(place: Place): Promise<string> {
  await run(place, 'save', 'user', TEXT, '--title', 'MarkTitle');
  const logs = join(place.root, 'conversation-logs');
  const [id = ''] = readdirSync(logs).filter((name) => /^\d{8}-/.test(name));
  return join(logs, id, 'conversation.json');
}

const change = (path: string, from: RegExp, to: string) =>
  writeFileSync(path, readFileSync(path, 'utf8').replace(from, to));
const cutOff = (path: string) => change(path, /\s*\]\s*\}\s*$/, '');

async function contents(place: Place, path: string): Promise<unknown> {
  const shown = await run(place, 'show', basename(dirname(path)), '--json');
  const { messages, title } = JSON.parse(shown);
  return { title, messages: messages.map(({ content }: { content: string }) => content) };
}

it('stay encrypted when they are repaired, whatever is damaged', () =>
  withPlace(async (place) => {
    const secret = withKey(place, keyIn(place));
    const path = await save(place);
    cutOff(path);
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    await run(secret, 'doctor', '--repair', '--yes');
    expect(filesWith('MarkMessage', [place.root])).toEqual([]);
    expect(await contents(secret, path)).toEqual({ title: 'MarkTitle', messages: [TEXT] });

    // The fields of the conversation are lost, but not its messages.
    change(path, /"sealed": "/, '"sealed: "');
    await run(secret, 'doctor', '--repair', '--yes');
    expect(await contents(secret, path)).toMatchObject({ messages: [TEXT] });

    // A person added a message and forgot a comma.
    change(path, /"messages": \[/, '"messages": [ { "role": "user", "content": "MarkAdded" }');
    await run(secret, 'doctor', '--repair', '--yes');
    expect(await contents(secret, path)).toMatchObject({ messages: ['MarkAdded', TEXT] });
    expect(readFileSync(path, 'utf8')).not.toContain('MarkAdded');
  }));

it('are reported by a change of the key, and can be repaired with the key that they have', () =>
  withPlace(async (place) => {
    const [first, second] = [keyIn(place), keyIn(place, 'b2'.repeat(32), 'second')];
    const path = await save(place);
    await run(place, 'save', 'user', 'another one');
    await run(place, 'encrypt', '--key-file', first, '--yes');
    cutOff(path);
    const convert = async (from: string, ...args: string[]) => {
      const given = ['--root', place.root, ...args, '--yes', '--json'];
      const { code, stdout } = await runCommand(withKey(place, from), given);
      const { left } = JSON.parse(stdout) as { left: { path: string }[] };
      return { code, left: left.map((each) => each.path) };
    };
    const reported = { code: 1, left: [path] };
    expect(await convert(first, 'encrypt', '--key-file', second)).toEqual(reported);
    expect(await convert(second, 'encrypt', '--key-file', first)).toEqual({ code: 0, left: [] });
    expect(await convert(first, 'decrypt')).toEqual(reported);
    expect(await convert(first, 'encrypt', '--key-file', first)).toEqual({ code: 0, left: [] });
    await run(withKey(place, first), 'doctor', '--repair', '--yes');
    expect(await contents(withKey(place, first), path)).toMatchObject({ messages: [TEXT] });
  }));

it('are reported as unread by a redaction', () =>
  withPlace(async (place) => {
    const secret = withKey(place, keyIn(place));
    const path = await save(place);
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    cutOff(path);
    const redacting = ['--root', place.root, 'redact', 'MarkMessage', '--yes', '--json'];
    const { unread } = JSON.parse((await runCommand(secret, redacting)).stdout);
    expect(unread).toMatchObject([{ path }]);
    await run(secret, 'doctor', '--repair', '--yes');
    expect(JSON.parse((await runCommand(secret, redacting)).stdout).files).toMatchObject([
      { path },
    ]);
  }));
