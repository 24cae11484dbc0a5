/** Retention with the built server: the size limit, the policy, edits of messages, and archives. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startStandIn } from '../support/perplexity-stand-in.js';
import { runInTerminal } from '../support/terminal.js';
import { type Place, runCommand, withClient, withPlace } from './harness.js';

const OLD = '20200101-1577836800000';
const OLDER = '20190101-1546300800000';

function write(place: Place, id: string, content: string, fields: object = {}): void {
  const folder = join(place.root, 'conversation-logs', id);
  mkdirSync(folder, { recursive: true });
  const file = { ...fields, messages: [{ role: 'user', content }] };
  writeFileSync(join(folder, 'conversation.json'), JSON.stringify(file));
}

const run = (place: Place, ...args: string[]) => runCommand(place, ['--root', place.root, ...args]);

describe('retention', () => {
  it('refuses new content at the size limit, before a request to Perplexity', async () => {
    const api = await startStandIn({});
    try {
      await withPlace(async (place) => {
        write(place, OLD, 'x'.repeat(1_100_000));
        const env = {
          ...place.env,
          ...api.env,
          PERSISTENCE_MAX_DB_SIZE_MB: '1',
        };
        await withClient({ ...place, env }, async ({ call, failure }) => {
          const asked = await failure('perplexity_search', { query: 'Why is the sky blue?' });
          expect(asked.code).toBe('STORAGE_FULL');
          const said = { conversationId: 'tea', role: 'user', content: 'tea?' };
          expect((await failure('save_message', said)).code).toBe('STORAGE_FULL');
          expect((await call('store_info'))['size']).toMatchObject({ limitBytes: 1_000_000 });
        });
        expect(api.received).toEqual([]);
        const full = { ...place, env };
        expect((await run(full, 'prune', '--by-size', '--yes')).stdout).toContain('1 conversation');
        expect((await run(full, 'save', 'user', 'tea?')).code).toBe(0);
      });
    } finally {
      await api.close();
    }
  });

  it('adds the same rule only once', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      for (const days of ['9d', '30d', '9d']) {
        await run(place, 'retention', 'add', '--older-than', days, '--yes');
      }
      const { stdout } = await run(place, 'retention', '--json');
      const { rules } = JSON.parse(stdout);
      expect(rules).toEqual([{ olderThanDays: 30 }, { olderThanDays: 9 }]);
    });
  });

  it('refuses a number of days that is too large, and an empty name of a module or tag', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      const commands = [
        ['prune', '--dry-run'],
        ['archive', '--dry-run'],
        ['retention', 'add', '--yes'],
      ];
      for (const command of commands) {
        const many = await run(place, ...command, '--older-than', '99999999');
        expect(many).toMatchObject({ code: 2, stderr: expect.stringContaining('at most 36500') });
        for (const name of ['--module', '--tag']) {
          const args = [...command, '--older-than', '9d', name, ' '];
          const empty = await run(place, ...args);
          expect(empty).toMatchObject({
            code: 2,
            stderr: expect.stringContaining(`The ${name} is`),
          });
        }
      }
      const env = { ...place.env, DAYBOOK_TOOLSETS: 'all' };
      await withClient({ ...place, env }, async ({ failure }) => {
        for (const name of ['module', 'tag']) {
          const rule = { olderThanDays: 9, [name]: ' ' };
          const failures = [
            await failure('set_retention_policy', { rules: [rule] }),
            await failure('prune_conversations', rule),
          ];
          expect(failures.map(({ code }) => code)).toEqual([
            'VALIDATION_ERROR',
            'VALIDATION_ERROR',
          ]);
        }
      });
      expect(JSON.parse((await run(place, 'retention', '--json')).stdout).rules).toEqual([]);
    });
  });

  it('shows the first 20 lines of a long list, and all of them with --all', async () => {
    await withPlace(async (place) => {
      const idAt = (at: number) => `20200101-${1_577_836_800_000 + at}`;
      for (let at = 0; at < 25; at += 1) write(place, idAt(at), 'walrus');
      const linesOf = async (...args: string[]) => {
        const { stdout, stderr } = await run(place, ...args);
        return { lines: stdout.trim().split('\n'), isCut: stderr.includes('5 more lines') };
      };
      for (const args of [
        ['prune', '--older-than', '9d', '--dry-run'],
        ['archive', '--older-than', '9d', '--dry-run'],
        ['trash'],
      ]) {
        if (args[0] === 'trash') await run(place, 'prune', '--older-than', '9d', '--yes');
        const first = await linesOf(...args);
        expect({ args, isCut: first.isCut }).toEqual({ args, isCut: true });
        expect(first.lines).toHaveLength(21);
        expect(first.lines.at(-1)).toMatch(/^25 (conversation|item)s/);
        if (args[0] === 'trash') expect(first.lines[0]).toContain('  conversation  20200101-');
        const all = await linesOf(...args, '--all');
        expect(all.isCut).toBe(false);
        expect(all.lines).toHaveLength(26);
      }
      const found = await linesOf('redact', 'walrus', '--dry-run');
      expect(found).toMatchObject({ isCut: true, lines: { length: 20 } });
    });
  });

  it('is undone as a whole by a restore of what was deleted lately', async () => {
    await withPlace(async (place) => {
      for (const id of [OLD, OLDER]) write(place, id, 'walrus');
      for (const text of ['# One', '# Two']) {
        await run(place, 'mb', 'add', 'a.md', text);
        if (text === '# One') await run(place, 'mb', 'delete', 'a.md');
      }
      const pruned = await run(place, 'prune', '--older-than', '9d', '--yes');
      expect(pruned.stdout).toContain('trash restore --newer-than 1d');
      const restore = (...args: string[]) => run(place, 'trash', 'restore', ...args);
      expect((await restore('--newer-than', '1d')).code).toBe(2); // it cannot ask
      expect((await restore()).code).toBe(2);
      expect((await restore('a.md', '--newer-than', '1d')).code).toBe(2);
      expect((await restore('--newer-than', '0d', '--yes')).code).toBe(1);
      const { code, stdout, stderr } = await restore('--newer-than', '1d', '--yes');
      expect([code, stdout]).toEqual([1, expect.stringMatching(/^Restored: 2 items, /)]);
      expect(stderr).toContain('a.md already exists');
      for (const id of [OLD, OLDER]) expect((await run(place, 'show', id)).code).toBe(0);
      expect((await run(place, 'mb', 'read', 'a.md')).stdout).toContain('Two');
      const { refused } = JSON.parse(
        (await restore('--newer-than', '1d', '--yes', '--json')).stdout,
      );
      expect(refused).toMatchObject([{ kind: 'note', code: 'ALREADY_EXISTS' }]);
    });
  });

  it('shows the day of the last message in the zone of all other times', async () => {
    await withPlace(async (place) => {
      write(place, OLD, 'said in the first minute of 2020 in UTC');
      const env = { ...place.env, DAYBOOK_TIME_ZONE: 'America/Los_Angeles' };
      for (const command of ['prune', 'archive']) {
        const args = [command, '--older-than', '9d', '--dry-run'];
        const { stdout } = await run({ ...place, env }, ...args);
        expect(stdout).toContain('last message 2019-12-31; no message for');
        expect((await run({ ...place, env }, ...args, '--utc')).stdout).toContain('2020-01-01');
      }
    });
  });

  it('asks before a prune by size permanently removes items of the trash', async () => {
    await withPlace(async (place) => {
      write(place, OLDER, 'x'.repeat(400_000));
      expect((await run(place, 'delete', OLDER)).code).toBe(0);
      write(place, OLD, 'x'.repeat(900_000));
      const env = { ...place.env, DAYBOOK_MAX_SIZE_MB: '1' };
      const args = ['--root', place.root, 'prune', '--by-size'];
      const answers = [{ after: '[y/N]', type: 'n\n' }];
      const { screen } = await runInTerminal({ ...place, env }, args, { answers });
      expect(screen).toContain('remove 1 item of the trash permanently?');
      expect((await run(place, 'trash')).stdout).toContain(OLDER);
    });
  });

  it('adds a rule to what another process made of the policy while the question waited', async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root, { recursive: true });
      const rulesOf = (days: readonly number[]) => days.map((olderThanDays) => ({ olderThanDays }));
      const path = join(place.root, 'conversation-logs', 'retention.json');
      await run(place, 'retention', 'add', '--older-than', '9d', '--yes');
      const answer = {
        after: '[y/N]',
        get type() {
          writeFileSync(path, JSON.stringify({ rules: rulesOf([9, 30]) }));
          return 'y\n';
        },
      };
      const args = ['--root', place.root, 'retention', 'add', '--older-than', '60d'];
      expect((await runInTerminal(place, args, { answers: [answer] })).code).toBe(0);
      expect(JSON.parse(readFileSync(path, 'utf8')).rules).toEqual(rulesOf([9, 30, 60]));
    });
  });

  it('trash empty removes only what it showed before the question', async () => {
    await withPlace(async (place) => {
      write(place, join('.trash', OLD), 'shown');
      const answer = {
        after: '[y/N]',
        get type() {
          write(place, join('.trash', OLDER), 'deleted while the question waits');
          return 'y\n';
        },
      };
      const args = ['--root', place.root, 'trash', 'empty'];
      expect((await runInTerminal(place, args, { answers: [answer] })).code).toBe(0);
      expect(readdirSync(join(place.root, 'conversation-logs', '.trash'))).toEqual([OLDER]);
    });
  });

  it('trash empty also finishes a permanent removal that was interrupted', async () => {
    await withPlace(async (place) => {
      write(place, join('.trash', '.tmp-0123456789abcdef'), 'half removed');
      expect((await run(place, 'trash', 'empty', '--yes')).code).toBe(0);
      expect(readdirSync(join(place.root, 'conversation-logs', '.trash'))).toEqual([]);
    });
  });

  it('shows an assistant what a policy would remove, stores the policy, and applies it', async () => {
    await withPlace(async (place) => {
      write(place, OLD, 'an old talk', { title: 'Old' });
      write(place, OLDER, 'kept', { pinned: true });
      const env = { ...place.env, DAYBOOK_TOOLSETS: 'all' };
      await withClient({ ...place, env }, async ({ call, failure }) => {
        expect((await failure('prune_conversations', {})).code).toBe('VALIDATION_ERROR');
        const shown = await call('prune_conversations', { olderThanDays: 90 });
        expect(shown).toMatchObject({ dryRun: true, total: 1, moved: 0 });
        expect(shown['conversations']).toMatchObject([{ conversationId: OLD, title: 'Old' }]);
        const policy = { rules: [{ olderThanDays: 365 }] };
        const set = await call('set_retention_policy', policy);
        expect(set).toMatchObject({ isActive: true, wouldMove: 1 });
      });
      await withClient({ ...place, env }, async ({ call }) => {
        await expect
          .poll(async () => (await call('store_info'))['retention'])
          .toMatchObject({ lastRun: { moved: 1 } });
        expect(await call('get_conversations')).toMatchObject({ total: 1 });
      });
      expect((await run(place, 'info')).stdout).toMatch(/retention +1 rule, last run .*: 1 moved/);
      expect((await run(place, 'restore', OLD)).code).toBe(0);
    });
  });

  it('changes a message only with its present hash, and restores its earlier version', async () => {
    await withPlace(async (place) => {
      await withClient(place, async ({ call, failure }) => {
        const said = { conversationId: 'tea', role: 'user', content: 'My code is 1234.' };
        await call('save_message', said);
        const read = async (version?: number) => {
          const input = { conversationId: 'tea', ...(version && { version }) };
          return (await call('get_conversation', input)) as unknown as {
            messages: { id: string; hash: string; content: string }[];
            versions?: { version: number; reason: string }[];
          };
        };
        const [message] = (await read()).messages;
        if (message === undefined) throw new Error('no message');
        const { id: messageId, hash } = message;
        const change = { conversationId: 'tea', messageId, hash };
        await call('update_message', { ...change, content: 'My code is mine.' });
        const stale = await failure('delete_message', change);
        expect(stale.code).toBe('CONFLICT');
        const now = await read();
        expect(now.versions).toMatchObject([{ version: 1, reason: 'edit' }]);
        expect((await read(1)).messages[0]?.content).toBe('My code is 1234.');
        const found = await call('search_messages', { query: '1234' });
        expect(found).toMatchObject({ total: 0 });
        const newer = now.messages[0]?.hash ?? '';
        const deleted = await call('delete_message', { ...change, hash: newer });
        expect(deleted).toMatchObject({ deleted: true, messageCount: 0 });
      });
      const shown = await run(place, 'history', 'tea', '--json');
      expect(JSON.parse(shown.stdout).versions).toHaveLength(2);
      expect((await run(place, 'restore', 'tea', '--version', '1')).code).toBe(0);
      expect((await run(place, 'show', 'tea')).stdout).toContain('1234');
    });
  });

  it('archives conversations, searches the archive and restores them', async () => {
    await withPlace(async (place) => {
      write(place, OLD, 'the raven and the desk', { clientId: 'riddle' });
      const done = await run(place, 'archive', '--older-than', '365d', '--yes');
      expect(done).toMatchObject({ code: 0, stderr: '' });
      expect((await run(place, 'search', 'raven')).code).toBe(1);
      const found = await run(place, 'search', 'raven', '--archive', '--json');
      expect(JSON.parse(found.stdout).results).toMatchObject([{ conversationId: OLD }]);
      expect(readdirSync(join(place.root, 'archive')).sort()).toEqual([
        '.gitignore',
        'conversations-2020-01.tar.gz',
      ]);
      expect((await run(place, 'restore', 'riddle')).stdout).toContain(OLD);
      expect((await run(place, 'search', 'raven')).code).toBe(0);
      const none = await run(place, 'search', 'hatter', '--archive');
      expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('Only archives') });
    });
  });
});

it('an imported conversation of the same time as an archived one gets another id', async () => {
  await withPlace(async (place) => {
    const succeed = async (...args: string[]) => {
      const { code, stdout, stderr } = await run(place, ...args);
      expect(code, stdout + stderr).toBe(0);
      return stdout;
    };
    const importOne = async (name: string) => {
      const message = {
        role: 'user',
        content: `said in ${name}`,
        createdAt: '2025-01-24T13:20:00Z',
      };
      const path = join(place.folder, `${name}.json`);
      writeFileSync(path, JSON.stringify({ title: name, messages: [message] }));
      await succeed('import', path, '--yes');
      const { conversations } = JSON.parse(await succeed('list', '--json'));
      return conversations.map(({ conversationId }: { conversationId: string }) => conversationId);
    };
    await succeed('init', '--json');
    const [archived] = await importOne('first');
    await succeed('archive', '--older-than', '30d', '--yes');
    const [imported, ...others] = await importOne('second');
    expect([imported, others]).toEqual([expect.stringMatching(/^20250124-/), []]);
    await succeed('restore', archived);
    expect(await succeed('show', archived)).toContain('said in first');
    expect(await succeed('show', imported)).toContain('said in second');
  });
});
