/** Retention: which conversations a rule, the policy and the size limit choose, and what is done with them. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { DAY_MS, isoTime } from '../../src/base/clock.js';
import { silentLog } from '../../src/base/log.js';
import { startDailyRetention } from '../../src/maintenance/retention/daily-retention.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { openMaintained, T0 } from './maintained.js';

const ago = (days: number) => isoTime(T0 - days * DAY_MS);

type Place = Awaited<ReturnType<typeof openMaintained>>;

async function said(
  { conversations }: Place,
  days: number,
  fields: { title?: string; module?: string; tags?: string[]; pinned?: boolean } = {},
  content = 'x',
): Promise<string> {
  const createdAt = ago(days);
  const messages = [{ role: 'user' as const, content, createdAt }];
  const made = await conversations.create({ ...fields, createdAt, updatedAt: createdAt, messages });
  return made.conversationId;
}

const idsOf = (plan: { conversations: readonly { head: { conversationId: string } }[] }) =>
  plan.conversations.map(({ head }) => head.conversationId);

describe('a retention rule', () => {
  it('chooses by the age of the last message, module and tag, the oldest last message first', async () => {
    const place = await openMaintained();
    const { retention, conversations } = place;
    const a = await said(place, 400, { module: 'm', tags: ['t', 'u'] });
    const b = await said(place, 100, { module: 'm', tags: ['t'] });
    const c = await said(place, 95, { module: 'n', tags: ['t'] });
    await said(place, 80, { module: 'm', tags: ['t'] });
    await said(place, 500, { module: 'm', tags: ['t'], pinned: true });
    const continued = await said(place, 300, { module: 'm', tags: ['t'] });
    await conversations.append(continued, [{ role: 'user', content: 'again' }]);
    const choose = async (rule: object) =>
      idsOf(await retention.plan({ rules: [rule], bySize: false }));
    expect(await choose({ olderThanDays: 90 })).toEqual([a, b, c]);
    expect(await choose({ olderThanDays: 90, module: 'm' })).toEqual([a, b]);
    expect(await choose({ olderThanDays: 90, module: 'm', tag: 'u' })).toEqual([a]);
    expect(await choose({ olderThanDays: 90, module: 'm', tag: '#U' })).toEqual([a]);
    expect(await choose({ olderThanDays: 500 })).toEqual([]);
    expect(await choose({ module: 'n' })).toEqual([c]);
  });

  it('does not count a new title or tag as a message', async () => {
    const place = await openMaintained();
    const id = await said(place, 100);
    await place.conversations.update(id, { title: 'new', tags: ['t'] });
    const plan = await place.retention.plan({ rules: [{ olderThanDays: 90 }], bySize: false });
    expect(idsOf(plan)).toEqual([id]);
    expect(plan.conversations[0]?.reason).toBe('no message for 100 days');
  });

  it('reads only files that changed, and notices an edit by hand', async () => {
    const place = await openMaintained();
    const { retention, conversations } = place;
    const [edited, other] = [await said(place, 100), await said(place, 95)];
    const peeked = vi.spyOn(conversations, 'peek');
    const plan = () => retention.plan({ rules: [{ olderThanDays: 90 }], bySize: false });
    const [first] = (await plan()).conversations;
    const file = join(conversations.path(edited), 'conversation.json');
    const text = readFileSync(file, 'utf8');
    expect(first).toMatchObject({ lastMessageAt: ago(100), sizeBytes: text.length });
    const at = text.lastIndexOf(ago(100));
    writeFileSync(file, text.slice(0, at) + ago(30) + text.slice(at + ago(30).length));
    expect(idsOf(await plan())).toEqual([other]);
    expect(peeked).not.toHaveBeenCalled();
  });
});

describe('a retention plan that is carried out', () => {
  it('moves conversations from the list to the trash, and they can be restored', async () => {
    const place = await openMaintained();
    const { retention, conversations, trash } = place;
    const id = await said(place, 100, { title: 'Old' });
    const before = readFileSync(join(conversations.path(id), 'conversation.json'), 'utf8');
    const gone: string[] = [];
    conversations.followFromNow((change) => change.document ?? gone.push(change.conversationId));
    const report = await retention.carryOut(
      await retention.plan({ rules: [{ olderThanDays: 90 }], bySize: false }),
    );
    expect(report.moved.map(({ head }) => head.conversationId)).toEqual([id]);
    expect(gone).toEqual([id]);
    expect(await conversations.list()).toEqual([]);
    expect((await trash.list()).map(({ title }) => title)).toEqual(['Old']);
    await conversations.restore(id);
    expect(readFileSync(join(conversations.path(id), 'conversation.json'), 'utf8')).toBe(before);
  });

  it('skips conversations that were pinned, continued, edited or deleted after the plan', async () => {
    const place = await openMaintained();
    const { retention, conversations } = place;
    const ids = [];
    for (const days of [140, 130, 120, 110, 100]) ids.push(await said(place, days));
    const [pinned = '', continued = '', edited = '', deleted = '', stays = ''] = ids;
    const plan = await retention.plan({ rules: [{ olderThanDays: 90 }], bySize: false });
    expect(idsOf(plan)).toEqual(ids);
    await conversations.update(pinned, { pinned: true });
    await conversations.append(continued, [{ role: 'user', content: 'more' }]);
    const path = join(conversations.path(edited), 'conversation.json');
    const file = JSON.parse(readFileSync(path, 'utf8'));
    file.messages.push({ role: 'user', content: 'by hand' });
    writeFileSync(path, JSON.stringify(file));
    await conversations.trash(deleted);
    const report = await retention.carryOut(plan);
    expect(report.moved.map(({ head }) => head.conversationId)).toEqual([stays]);
    expect(report.skipped.map(({ conversationId }) => conversationId).sort()).toEqual(
      [pinned, continued, edited, deleted].sort(),
    );
  });
});

describe('the size limit', () => {
  it('from 80 % on removes old trash, then trashes the oldest conversation that is not pinned', async () => {
    const place = await openMaintained({ limitBytes: 100_000 });
    const { retention, conversations, trash, time, size } = place;
    const big = 'x'.repeat(20_000);
    const old = await said(place, 900, {}, big);
    await conversations.trash(old);
    time.now += 1000;
    await said(place, 800, { pinned: true }, big);
    const first = await said(place, 700, {}, big);
    await said(place, 600, {}, big);
    expect(idsOf(await retention.plan({ rules: [], bySize: true }))).toEqual([]);
    await said(place, 500, {}, big);
    await said(place, 10, {}, 'x'.repeat(10_000));
    const plan = await retention.plan({ rules: [], bySize: true });
    expect(idsOf(plan)).toEqual([first]);
    expect(plan.trash.map(({ name }) => name.slice(0, 22))).toEqual([old]);
    await retention.carryOut(plan);
    const after = await size.measure();
    expect(after.sizeBytes).toBeLessThan(80_000);
    expect(after.sizeBytes + after.trashBytes).toBeLessThan(100_000);
    expect((await trash.list()).map(({ name }) => name.slice(0, 22))).toEqual([first]);
  });

  it('of a full store refuses new content, and accepts changes and deletions', async () => {
    const place = await openMaintained({ limitBytes: 30_000 });
    const { conversations, insights, memoryBank } = place;
    const id = await said(place, 1, {}, 'x'.repeat(31_000));
    await place.size.measure(); // a write measures too, but only every ten seconds
    const refused = [
      said(place, 1),
      conversations.append(id, [{ role: 'user', content: 'more' }]),
      conversations.append('a-key', [{ role: 'user', content: 'x' }], { create: true }),
      insights.save({ content: 'an insight', context: 'global' }),
      memoryBank.add('a.md', 'a'),
    ];
    for (const write of refused) expect((await errorOf(write)).code).toBe('STORAGE_FULL');
    await conversations.update(id, { title: 'changed' });
    expect((await conversations.load(id)).messages).toHaveLength(1);
    await conversations.trash(id);
    // The size is checked once a second.
    const outcome = () => said(place, 1).then(() => 'stored', String);
    await expect.poll(outcome, { interval: 1_100 }).toBe('stored');
  });
});

describe('the retention policy', () => {
  it('counts a conversation that cannot be read as skipped', async () => {
    const place = await openMaintained();
    const { retention, conversations } = place;
    const broken = await said(place, 100);
    await retention.policy.write({ rules: [{ olderThanDays: 90 }], bySize: false });
    writeFileSync(join(conversations.path(broken), 'conversation.json'), '{"broken');
    expect(await retention.run()).toMatchObject({ moved: 0, skipped: 1 });
    expect(await retention.lastRun()).toMatchObject({ skipped: 1 });
  });

  it('is stored in a file, is applied, and its last run is reported', async () => {
    const place = await openMaintained();
    const { retention, trash, conversations, time } = place;
    expect(await retention.run()).toBeUndefined();
    await retention.policy.write({ rules: [{ olderThanDays: 90, tag: 't' }], bySize: false });
    const long = await said(place, 300, { tags: ['t'] });
    await said(place, 300);
    const earlier = await said(place, 10);
    await conversations.trash(earlier);
    time.now += 31 * DAY_MS;
    const run = await retention.run();
    expect(run).toMatchObject({ moved: 1, removed: 1, skipped: 0 });
    expect(run?.conversations[0]?.conversationId).toBe(long);
    expect(await retention.lastRun()).toEqual(run);
    expect((await trash.list()).map(({ name }) => name.slice(0, 22))).toEqual([long]);
    await retention.policy.write({ rules: [], bySize: false });
    expect(existsSync(retention.policy.path)).toBe(false);
  });

  it('keeps its rules if a wrong rule is added', async () => {
    const { retention } = await openMaintained();
    const good = { olderThanDays: 365 };
    await retention.policy.write({ rules: [good], bySize: false });
    for (const wrong of [{ olderThanDays: 0 }, { ...good, tag: 'x'.repeat(201) }]) {
      const adding = retention.policy.write({ rules: [good, wrong], bySize: false });
      expect((await errorOf(adding)).code).toBe('VALIDATION_ERROR');
    }
    expect((await retention.policy.read())?.rules).toEqual([good]);
  });

  it.each([
    ['{', 'CORRUPT'],
    ['{"rules": [{"olderThanDays": 0}]}', 'CORRUPT'],
    ['{"rules": [{"module": "m"}]}', 'CORRUPT'],
    ['{"rules": [{"olderThanDays": 9, "modul": "m"}]}', 'CORRUPT'],
    ['{"formatVersion": 2, "rules": []}', 'FORMAT_TOO_NEW'],
  ])('of the text %s is an error, and nothing is removed', async (text, code) => {
    const place = await openMaintained();
    await said(place, 9000);
    writeFileSync(place.retention.policy.path, text);
    expect((await errorOf(place.retention.run())).code).toBe(code);
    expect(await place.conversations.list()).toHaveLength(1);
  });
});

it.each([
  '{}',
  '{"rule": [{"olderThanDays": 9}]}',
])('a file with %s is no retention policy', async (text) => {
  const place = await openMaintained();
  const { retention, trash, time } = place;
  await place.conversations.trash(await said(place, 9));
  writeFileSync(retention.policy.path, text);
  time.now += 31 * DAY_MS;
  expect(await retention.run()).toBeUndefined();
  expect(await trash.list()).toHaveLength(1);
});

describe('the daily retention', () => {
  it('runs once a day in one of several servers, and only with a policy', async () => {
    const place = await openMaintained();
    const { retention, time, clock, conversations } = place;
    await said(place, 100);
    const later = await said(place, 89);
    const runs: number[] = [];
    const counted = {
      policy: retention.policy,
      lastRun: () => retention.lastRun(),
      run: async (signal?: AbortSignal) => {
        const run = await retention.run(signal);
        runs.push(run?.moved ?? -1);
        return run;
      },
    };
    const leasePath = join(tempFolder(), 'lease');
    const shared = { retention: counted, leasePath, log: silentLog, pollIntervalMs: 20 };
    for (let n = 0; n < 3; n += 1) {
      const daily = startDailyRetention({
        ...shared,
        clock: { now: clock.now, monotonic: () => time.now },
      });
      onTestFinished(() => daily.close());
    }
    await pause(100);
    expect(runs).toEqual([]);
    await retention.policy.write({ rules: [{ olderThanDays: 90 }], bySize: false });
    await until(() => runs.length === 1);
    await pause(100);
    time.now += 5 * DAY_MS;
    await until(() => runs.length === 2);
    await pause(100);
    expect(runs).toEqual([1, 1]);
    expect(await conversations.list()).toEqual([]);
    expect((await conversations.trashed()).map((each) => each.conversationId)).toContain(later);
  });
});

const until = async (isSo: () => boolean) => {
  for (let n = 0; n < 6_000 && !isSo(); n += 1) await pause(10);
  expect(isSo()).toBe(true);
};
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
