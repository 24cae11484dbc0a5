/**
 * Damaged conversations of an encrypted store: a repair encrypts what it saves, and a conversion reports the
 * files whose texts it cannot convert.
 */
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { errorOf, failure, filesWith, keyIn, run, withKey } from './store.js';

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

/** Changes one character near the end of the sealed text of the first `field` after `place`. */
function flip(path: string, field: string, place = ''): void {
  const text = readFileSync(path, 'utf8');
  const start = text.indexOf(`"${field}": "`, text.indexOf(place)) + field.length + 5;
  const at = text.indexOf('"', start) - 12;
  const other = text[at] === 'A' ? 'B' : 'A';
  writeFileSync(path, `${text.slice(0, at)}${other}${text.slice(at + 1)}`);
}

async function doctorOf(place: Place, ...args: string[]) {
  const given = ['--root', place.root, 'doctor', ...args, '--json'];
  const { steps } = JSON.parse((await runCommand(place, given)).stdout) as {
    steps: { check: string; findings: object[] }[];
  };
  return steps.find(({ check }) => check === 'conversations')?.findings;
}

const UNREADABLE = expect.stringMatching(/^\[Daybook cannot decrypt this message\..*broken/);

it('with one message that cannot be decrypted name it, and a repair saves the others', () =>
  withPlace(async (place) => {
    const secret = withKey(place, keyIn(place));
    const path = await save(place);
    const id = basename(dirname(path));
    for (const text of ['second', 'third']) {
      await run(place, 'save', 'user', text, '--conversation-id', id, '--metadata', '{"a":"b"}');
    }
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    const { messages: stored } = JSON.parse(readFileSync(path, 'utf8'));
    const [, { id: second }, { id: third }] = stored as [unknown, { id: string }, { id: string }];
    flip(path, 'content', second);
    const damaged = readFileSync(path);
    const { code, hint, message } = await errorOf(secret, 'show', id);
    expect(code).toBe('DECRYPT');
    expect(message).toContain(second);
    expect(message).toContain(path);
    expect(hint).toMatch(/daybook .*doctor/);
    expect(await failure(secret, 'save', 'user', 'more', '--conversation-id', id)).toBe('DECRYPT');
    expect(readFileSync(path).equals(damaged)).toBe(true);
    expect(await doctorOf(secret)).toMatchObject([{ severity: 'error', path, repairable: true }]);

    expect(await doctorOf(secret, '--repair', '--yes')).toEqual([]);
    const messages = [TEXT, UNREADABLE, 'third'];
    expect(await contents(secret, path)).toEqual({ title: 'MarkTitle', messages });
    const kept = readdirSync(dirname(path)).filter((name) => name.includes('.broken-'));
    expect(kept).toHaveLength(1);
    expect(readFileSync(join(dirname(path), kept[0] ?? '')).equals(damaged)).toBe(true);
    expect(filesWith('MarkMessage', [place.root])).toEqual([]);

    // The fields of the conversation and of a message.
    flip(path, 'sealed');
    flip(path, 'sealed', third);
    expect(await doctorOf(secret, '--repair', '--yes')).toEqual([]);
    expect(await contents(secret, path)).toMatchObject({ messages });
  }));

it('are not repaired if no message can be decrypted, as in a copy under another id', () =>
  withPlace(async (place) => {
    const secret = withKey(place, keyIn(place));
    const path = await save(place);
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    const copy = join(dirname(dirname(path)), '20250124-1706102400123');
    cpSync(dirname(path), copy, { recursive: true });
    const file = join(copy, 'conversation.json');
    change(file, /"messages": \[/, '"messages": [ { "role": "user", "content": "added" },');
    const before = readFileSync(file);
    expect(await doctorOf(secret, '--repair', '--yes')).toMatchObject([
      { severity: 'error', path: file, repairable: false },
    ]);
    expect(readFileSync(file).equals(before)).toBe(true);
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

    // The repair kept the damaged file, so another repair is no advice.
    const given = ['--root', place.root, 'decrypt', '--yes', '--json'];
    const { stdout } = await runCommand(withKey(place, first), given);
    const { left } = JSON.parse(stdout) as { left: { path: string; reason: string }[] };
    expect(left).toMatchObject([{ path: expect.stringContaining('.broken-') }]);
    expect(left[0]?.reason).not.toContain('doctor');
  }));

it('and notes say what to do if the key is right, and conversations name the file with another key', () =>
  withPlace(async (place) => {
    const [first, second] = [keyIn(place), keyIn(place, 'b2'.repeat(32), 'second')];
    const path = await save(place);
    await run(place, 'mb', 'add', 'a.md', TEXT);
    await run(place, 'encrypt', '--key-file', second, '--yes');
    const ofSecond = readFileSync(path);
    await run(withKey(place, second), 'encrypt', '--key-file', first, '--yes');
    writeFileSync(path, ofSecond);
    const other = await errorOf(withKey(place, first), 'show', basename(dirname(path)));
    expect(other).toMatchObject({ code: 'DECRYPT', message: expect.stringContaining(path) });
    expect(other.hint).toContain('DAYBOOK_KEY_FILE');
    const note = join(place.root, 'memory-bank', 'a.md');
    const bytes = readFileSync(note);
    bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
    writeFileSync(note, bytes);
    const damaged = await errorOf(withKey(place, first), 'mb', 'read', 'a.md');
    expect(damaged).toMatchObject({ code: 'DECRYPT', message: expect.stringContaining(note) });
    expect(damaged.hint).toMatch(/daybook .*restore/);
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
