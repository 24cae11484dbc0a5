/** `daybook redact`: afterwards no byte of the text is below the root or in the cache, archives unpacked. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { allIndexCaches } from '../../src/app/cache-paths.js';
import { redactorOf } from '../../src/app/redactor.js';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { Redaction } from '../../src/privacy/redact-bytes.js';
import { conversationText, type DoctorPlace, doctorPlace, ID, signal } from '../doctor/place.js';
import { ask } from '../search/search-place.js';

const TEXT = 'Marienstraße "12" \\ Hof';

/** Files of all bytes below the root and the cache in which the text, or a spelling of it, is. */
function filesWith(place: DoctorPlace, text = TEXT): string[] {
  const spellings = [text, JSON.stringify(text).slice(1, -1)].map((each) => Buffer.from(each));
  return [place.root, place.config.cacheFolder].filter(existsSync).flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => {
        const bytes = readFileSync(path);
        const content = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
        return spellings.some((spelling) => content.includes(spelling));
      }),
  );
}

async function fill(place: DoctorPlace): Promise<void> {
  const lives = { subject: 'Ada', predicate: 'lives in', object: TEXT };
  await place.withApp(
    async ({ conversations, memoryBank, insights, kg, state, backups, search }) => {
      const { conversationId } = await conversations.create({
        title: `At ${TEXT}`,
        messages: [{ role: 'user', content: `I live at ${TEXT}.`, metadata: { where: [TEXT] } }],
      });
      const gone = await conversations.create({ messages: [{ role: 'user', content: TEXT }] });
      await conversations.trash(gone.conversationId);
      const contents = Array.from({ length: 2_100 }, (_, n) => `raven ${n} ${TEXT.split(' ')[0]}`);
      place.write(`conversation-logs/${ID}/conversation.json`, conversationText(contents));
      place.write(
        `conversation-logs/${ID}/conversation.broken-20260301T101500123Z.json`,
        `{"x": "${TEXT}`,
      );
      place.write(
        `conversation-logs/${conversationId}/summaries.json`,
        JSON.stringify({ formatVersion: 1, summaries: { brief: { text: `Lives at ${TEXT}` } } }),
      );
      await state.set({ values: { address: TEXT } });
      await memoryBank.add('people/ada.md', `# Ada\n\n${TEXT}\n`);
      await memoryBank.add('people/bob.md', `# Bob\n\n${TEXT}\n`);
      await memoryBank.delete('people/bob.md', undefined as never);
      const kept = await insights.save({ content: `moved to ${TEXT}`, context: 'global' });
      await insights.trash((await insights.save({ content: TEXT, context: 'global' })).id);
      expect(kept.id).toBeDefined();
      await kg.add([lives, { subject: 'Ada', predicate: 'knows', object: 'Charles' }]);
      await kg.save();
      await kg.delete([lives]);
      await kg.save();
      await kg.add([{ ...lives, predicate: 'works at' }]);
      place.write(
        'exports/all.jsonl',
        `${JSON.stringify({ content: TEXT })}\n{"escaped":"Marienstra\\u00dfe \\"12\\" \\\\ Hof"}\n`,
      );
      await backups.make();
      search.start();
      await ask({ search }, 'raven');
    },
  );
}

const redact = (place: DoctorPlace, text = TEXT) =>
  place.withApp(async ({ kg }) => {
    const redactor = redactorOf(place.config, plainSealer);
    const { files } = await redactor.find(text, signal);
    const paths = files.map(({ path }) => path);
    await redactor.redact(paths, text, '[redacted]', { signal });
    await kg.save();
    return redactor.find(text, signal);
  });

describe('redaction', () => {
  it('takes the text out everywhere, and everything can be read afterwards', async () => {
    const place = doctorPlace();
    await fill(place);
    const before = filesWith(place);
    for (const part of [
      '.trash',
      'summaries.json',
      'state.json',
      'ada.md',
      'insights',
      'kg_',
      '.gz',
      'all.jsonl',
      'broken',
    ]) {
      expect(
        before.some((path) => path.includes(part)),
        part,
      ).toBe(true);
    }
    expect(await redact(place)).toEqual({ files: [], names: [], unread: [] });
    expect(filesWith(place)).toEqual([]);
    await place.withApp(
      async ({ conversations, kg, memoryBank, insights, state, doctor, backups }) => {
        const heads = await conversations.list();
        const own = heads.find(({ title }) => title?.includes('[redacted]'));
        const { messages } = await conversations.load(own?.conversationId ?? '');
        expect(messages[0]).toMatchObject({
          content: 'I live at [redacted].',
          metadata: { where: ['[redacted]'] },
        });
        expect((await memoryBank.read('people/ada.md')).content).toContain('[redacted]');
        expect((await insights.all())[0]?.insight.content).toBe('moved to [redacted]');
        expect((await state.get()).values).toEqual({ address: '[redacted]' });
        const { triples } = await kg.query(
          { subject: 'Ada' } as never,
          { limit: 9, offset: 0 } as never,
        );
        expect(triples.map(({ predicate, object }) => `${predicate} ${object}`).sort()).toEqual([
          'knows Charles',
          'works at [redacted]',
        ]);
        const { steps } = await doctor.examine({ signal });
        const found = steps
          .flatMap(({ findings }) => findings)
          .filter(({ severity }) => severity !== 'note');
        expect(found.filter(({ path }) => !path.includes('job.json'))).toEqual([]);
        expect((await backups.list()).length).toBe(1);
      },
    );
  });

  it('removes the cached indexes also if indexes are not cached any more', async () => {
    const place = doctorPlace();
    const [cache = ''] = allIndexCaches(place.config);
    mkdirSync(dirname(cache), { recursive: true });
    writeFileSync(cache, TEXT);
    const redactor = redactorOf({ ...place.config, indexCache: false }, plainSealer);
    await redactor.redact([], TEXT, '[redacted]', { signal });
    expect(filesWith(place)).toEqual([]);
  });

  it('names what it cannot change: the names of files', async () => {
    const place = doctorPlace();
    place.write('memory-bank/Marienstrasse.md', 'x\n');
    const { names, files } = await redactorOf(place.config, plainSealer).find(
      'Marienstrasse',
      signal,
    );
    expect(names).toEqual([join(place.root, 'memory-bank/Marienstrasse.md')]);
    expect(files).toEqual([]);
  });

  it('replaces in files that are no JSON and no UTF-8, and keeps their other bytes', () => {
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('secret'),
      Buffer.from([0x80]),
    ]);
    const redaction = new Redaction('secret', 'x');
    expect(redaction.countIn(bytes)).toBe(1);
    expect([...redaction.apply(bytes)]).toEqual([0xff, 0xfe, 0x78, 0x80]);
  });

  it('changes nothing else of a hand-edited file', () => {
    const text = '{ "messages":[ {"role":"user","content":"secret"} ]   }';
    expect(new Redaction('secret', 'x').apply(Buffer.from(text)).toString()).toBe(
      text.replace('secret', 'x'),
    );
  });
});
