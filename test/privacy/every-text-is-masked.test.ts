/** Secrets and private parts are removed from everything that is stored, not only from messages. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { silentLog } from '../../src/base/log.js';
import { SecretMasker } from '../../src/privacy/secret-masker.js';
import { ResearchJobFiles } from '../../src/stores/research-jobs/research-job-files.js';
import { tools } from '../../src/tools/index.js';
import { doctorPlace, signal } from '../doctor/place.js';

const TOKEN = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO'}2xYzAb`;
const PRIVATE = 'MarkPrivatePart';
const TEXT = `a ${TOKEN} b <private>${PRIVATE}</private> c`;
const CLEAN = 'a [masked GITHUB_TOKEN] b [private part left out] c';

const bytesOf = (root: string) =>
  readdirSync(root, { recursive: true, encoding: 'utf8' })
    .map((name) => join(root, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'))
    .join('\n');

async function told(env: Record<string, string> = {}) {
  const place = doctorPlace(env);
  const notes: Record<string, unknown> = {};
  await place.withApp(async (app) => {
    const call = async (name: string, input: object) => {
      const tool = tools.find((each) => each.name === name);
      if (tool === undefined) throw new Error(name);
      const run = tool.run as (input: unknown, ...rest: unknown[]) => Promise<object>;
      const context = { signal, isRemote: false, progress: () => undefined };
      const answer = await run(tool.input.parse(input), app, context);
      notes[name] = (answer as { note?: string }).note;
      return answer as Record<string, string>;
    };
    const { conversationId } = await app.conversations.create({
      messages: [{ role: 'user', content: 'hello' }],
      title: TEXT,
      metadata: { deep: [TEXT] },
    });
    await call('update_conversation', { conversationId, title: `new ${TEXT}`, tags: ['t'] });
    const insight = await call('save_insight', { content: TEXT, context: 'global' });
    await call('update_insight', { id: insight['id'], content: `new ${TEXT}` });
    await call('mb_add', { path: 'a.md', content: TEXT });
    await call('mb_edit', { path: 'a.md', insertLine: 1, insertText: `more ${TEXT}` });
    await call('kg_add', { triples: [{ subject: 's', predicate: 'p', object: TEXT }] });
    await app.state.set({ values: { plan: TEXT } });
    await app.languageModels.store.put(conversationId, 'brief', {
      text: TEXT,
      sourceHash: 'x',
    } as never);
    const masker = new SecretMasker({ masksSecrets: env['DAYBOOK_SECRETS'] !== 'keep' });
    const { logs: logsFolder } = place;
    const jobs = new ResearchJobFiles({
      logsFolder,
      conversations: app.conversations,
      fsync: false,
      log: silentLog,
      masker,
    });
    await jobs.put(conversationId, { state: 'creating', query: TEXT } as never);
    expect((await app.memoryBank.read('a.md')).content).toContain('more a ');
    expect((await app.state.get()).values).toMatchObject({
      plan: env['DAYBOOK_SECRETS'] ? expect.stringContaining(TOKEN) : CLEAN,
    });
  });
  return { notes, stored: bytesOf(place.root) };
}

describe('everything that is stored', () => {
  it('has no secrets and no private parts, and the answers report what was removed', async () => {
    const { notes, stored } = await told();
    expect(stored).not.toContain(TOKEN);
    expect(stored).not.toContain(PRIVATE);
    expect(stored.split(CLEAN).length - 1).toBeGreaterThanOrEqual(9);
    const names = ['update_conversation', 'save_insight', 'update_insight', 'mb_add', 'mb_edit'];
    for (const name of [...names, 'kg_add']) {
      expect([name, notes[name]]).toEqual([
        name,
        expect.stringMatching(
          /2 parts \((GITHUB_TOKEN, private part|private part, GITHUB_TOKEN)\)/,
        ),
      ]);
    }
  });

  it('has secrets if DAYBOOK_SECRETS is keep, and still no private parts', async () => {
    const { notes, stored } = await told({ DAYBOOK_SECRETS: 'keep' });
    expect(stored).toContain(TOKEN);
    expect(stored).not.toContain(PRIVATE);
    expect(notes['save_insight']).toContain('1 part (private part)');
  });
});
