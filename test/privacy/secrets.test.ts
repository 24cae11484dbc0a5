/** Secrets and private parts: how they are found, what is stored instead, and how an answer reports it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { plainSealer } from '../../src/files/sealing/file-sealer.js';
import { withoutPrivateParts } from '../../src/privacy/private-parts.js';
import { type StoredSecret, scanFolders } from '../../src/privacy/scan.js';
import { maskedBetween, maskedNote, SecretMasker } from '../../src/privacy/secret-masker.js';
import { secretsIn } from '../../src/privacy/secrets.js';
import { saveMessage } from '../../src/tools/conversations/save-message.js';
import { doctorPlace, signal } from '../doctor/place.js';
import { filesBelow } from '../support/files-below.js';

/** The tokens are joined from parts, so that no scanner reports this file as a leak. */
const GITHUB = `gh${'p_'}a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8`;
const SECRETS: Record<string, string> = {
  GITHUB_TOKEN: GITHUB,
  SLACK_TOKEN: `xox${'b-'}123456789012-1234567890123-AbCdEfGhIjKlMnOpQrStUvWx`,
  ANTHROPIC_API_KEY: `sk-${'ant-'}api03-${'A'.repeat(93)}AA`,
  NPM_ACCESS_TOKEN: `npm${'_'}abcdefghij1234567890abcdefghij123456`,
  PERPLEXITY_API_KEY: `pplx${'-'}${'abcdEFGH1234'.repeat(4)}`,
};
const call = { signal, isRemote: false, progress: () => undefined };

describe('the search for secrets', () => {
  it('leaves no performance entries, which would slow down the next search', async () => {
    const look = (at: number) => secretsIn(`see https://larch.example/guide/planks-${at}`);
    await look(0);
    const before = performance.getEntries().length;
    for (let at = 1; at <= 20; at++) await look(at);
    expect(performance.getEntries().length).toBe(before);
  });

  it.each(Object.entries(SECRETS))('finds a secret of the kind %s', async (kind, secret) => {
    const found = await secretsIn(`before ${secret} after`);
    expect(found).toEqual([{ kind, start: 7, end: 7 + secret.length }]);
  });

  it.each(['', '"', "'"])('finds the whole secret after its name, in %j', async (quote) => {
    const secret = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEZAMPLEKEZ';
    const before = `AWS${'_'}SECRET_ACCESS_KEY = ${quote}`;
    const found = await secretsIn(`${before}${secret}${quote} after`);
    const start = before.length;
    expect(found).toEqual([{ kind: 'AWSSecretAccessKey', start, end: start + secret.length }]);
  });

  it('finds nothing in a long text without secrets', async () => {
    const harmless = 'See https://example.com/a?b=c and 3f786850e387550fdab836ed7e6dc881de23001b. ';
    expect(await secretsIn(harmless.repeat(5_000))).toEqual([]);
    expect(await secretsIn('short')).toEqual([]);
  });

  it('finds the same in several texts at once as in each text alone', async () => {
    const pem = (part: string) => `-----${part} RSA PRIVATE KEY-----`;
    const key = `${pem('BEGIN')}\nMI${'abcdEFGH1234'.repeat(20)}\n${pem('END')}`;
    const texts = [
      ...Object.values(SECRETS),
      `https://larch.example/a-long-address ${pem('BEGIN')}`,
      key,
      `https://larch.example/a-long-address AWS${'_'}SECRET_ACCESS_KEY=`,
      'abcdEFGH1234'.repeat(4).slice(0, 40),
      `//registry.larch.example/:_auth${'Token='}`,
      'harmless-but-a-long-word',
      'x'.repeat(200_000),
    ];
    const alone = [];
    for (const text of texts) alone.push(await secretsIn(text));
    expect(alone.filter((found) => found.length > 0)).toHaveLength(6);
    expect(await Promise.all(texts.map(secretsIn))).toEqual(alone);
    expect(await Promise.all(texts.toReversed().map(secretsIn))).toEqual(alone.toReversed());
    const harmless = Array.from({ length: 50 }, (_, index) => `a-long-and-harmless-word-${index}`);
    const found = await Promise.all([...harmless, GITHUB, ...harmless].map(secretsIn));
    expect(found.flatMap((secrets, index) => (secrets.length > 0 ? [index] : []))).toEqual([50]);
  });
});

describe('a directive of secretlint in a text', () => {
  it.each(['disable', 'disable-line', 'disable-next-line'])('hides no secret: %s', async (word) => {
    const text = `// secretlint-${word}\n${GITHUB} // secretlint-${word}`;
    const found = await Promise.all([text, GITHUB].map(secretsIn));
    expect(found.map(([first]) => first?.kind)).toEqual(['GITHUB_TOKEN', 'GITHUB_TOKEN']);
  });
});

describe('the removal of private parts', () => {
  it.each([
    ['a <private>b</private> c', 'a [private part left out] c', 1],
    ['<PRIVATE >x\ny</private >', '[private part left out]', 1],
    ['<private>a<private>b</private>c</private>d', '[private part left out]d', 1],
    ['<private>never closed', '<private>never closed', 0],
    ['</private> alone', '</private> alone', 0],
    [
      'the tag <private> hides: <private>b</private>',
      'the tag <private> hides: [private part left out]',
      1,
    ],
    ['<private>a<private>b</private><private>c</private></private>', '[private part left out]', 1],
    ['<private>a</private><private>b</private>', '[private part left out]'.repeat(2), 2],
  ])('from %j gives %j', (given, text, parts) => {
    expect(withoutPrivateParts(given)).toEqual({ text, parts });
  });
});

describe('saving', () => {
  it('checks metadata with a list of several hundred thousand values', () => {
    const masker = new SecretMasker({ masksSecrets: true });
    const vector = Array.from({ length: 300_000 }, (_, at) => at);
    expect(masker.isClean([{ content: 'a', metadata: { vector } }])).toBe(true);
    expect(masker.isClean([{ content: 'a', metadata: { list: [...vector, GITHUB] } }])).toBe(false);
  });

  it('stores a mark instead of a secret, in content and metadata, and reports it', async () => {
    const place = doctorPlace();
    await place.withApp(async (app) => {
      const saved = await saveMessage.run(
        {
          role: 'user',
          content: `my token is ${GITHUB}, <private>and my PIN is 0000</private>`,
          metadata: { note: { deep: [`x ${GITHUB}`] } },
        },
        app,
        call,
      );
      expect(saved.note).toContain('GITHUB_TOKEN');
      const { messages } = await app.conversations.load(saved.conversationId);
      expect(messages[0]?.content).toBe(
        'my token is [masked GITHUB_TOKEN], [private part left out]',
      );
      expect(messages[0]?.metadata).toEqual({ note: { deep: ['x [masked GITHUB_TOKEN]'] } });
      const plain = await saveMessage.run({ role: 'user', content: 'nothing' }, app, call);
      expect(plain).not.toHaveProperty('note');
      const again = {
        conversationId: saved.conversationId,
        role: 'user' as const,
        content: GITHUB,
      };
      expect((await saveMessage.run(again, app, call)).note).toContain('1 part');
    });
    const stored = filesBelow(place.root).map((path) => readFileSync(path));
    expect(stored.some((bytes) => bytes.includes('masked GITHUB_TOKEN'))).toBe(true);
    for (const bytes of stored) {
      expect(bytes.includes(GITHUB)).toBe(false);
      expect(bytes.includes('PIN is 0000')).toBe(false);
    }
  });

  it('is answered with a note that names DAYBOOK_SECRETS only if a secret was found', () => {
    const note = maskedNote(['GITHUB_TOKEN', 'private part']) ?? '';
    expect(note).toMatch(/^Not stored: 2 parts .*Leave secrets out .*DAYBOOK_SECRETS=keep/);
    expect(maskedNote(['private part', 'private part'])).not.toContain('DAYBOOK_SECRETS');
  });

  it('is found again in what was stored, whatever letters the name of its kind has', async () => {
    const database = `postgres://${'sam'}:tulip-4711@db.larch.example:5432/main`;
    const given = { content: `${GITHUB} and ${database}` };
    const { value, masked } = await new SecretMasker({ masksSecrets: true }).maskValue(given);
    expect(masked).toEqual(['GITHUB_TOKEN', 'PostgreSQLConnection']);
    expect(maskedBetween(given, value)).toEqual(masked);
  });

  it('keeps secrets if DAYBOOK_SECRETS is keep, and still removes private parts', async () => {
    const place = doctorPlace({ DAYBOOK_SECRETS: 'keep' });
    await place.withApp(async ({ conversations }) => {
      const content = `${GITHUB} <private>x</private>`;
      const { messages, masked } = await conversations.create({
        messages: [{ role: 'user', content }],
      });
      expect(messages[0]?.content).toBe(`${GITHUB} [private part left out]`);
      expect(masked).toEqual(['private part']);
    });
  });

  it('by an import masks and counts secrets, and a second import adds nothing', async () => {
    const place = doctorPlace();
    const message = { role: 'user', content: `use ${GITHUB}` };
    const line = JSON.stringify({ messages: [message, { role: 'assistant', content: 'ok' }] });
    const file = place.write('../given.jsonl', `${line}\n`);
    await place.withApp(async ({ importer, conversations }) => {
      const request = { paths: [file], dryRun: false };
      expect(await importer.run(request)).toMatchObject({ added: 1, masked: 1 });
      expect(await importer.run(request)).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
      const [head] = await conversations.list();
      const { messages } = await conversations.load(head?.conversationId ?? '');
      expect(messages[0]?.content).toBe('use [masked GITHUB_TOKEN]');
    });
  });

  it('does not copy messages without secrets', async () => {
    const masker = new SecretMasker({ masksSecrets: true });
    const messages = [{ role: 'user', content: 'a plain message', metadata: { a: 1 } }];
    expect((await masker.mask(messages)).messages[0]).toBe(messages[0]);
    expect(maskedNote([])).toBeUndefined();
  });
});

describe('a scan of the store', () => {
  it('finds secrets in conversations, notes, insights and the trash', async () => {
    const place = doctorPlace({ DAYBOOK_SECRETS: 'keep' });
    await place.withApp(async ({ conversations, memoryBank, insights }) => {
      const { conversationId } = await conversations.create({
        messages: [
          { role: 'user', content: 'hello' },
          { role: 'user', content: GITHUB },
        ],
      });
      await conversations.create({ messages: [{ role: 'user', content: 'fine' }] });
      await memoryBank.add('keys.md', `# Keys\n\n${SECRETS['SLACK_TOKEN']}\n`);
      await insights.save({ content: `npm ${SECRETS['NPM_ACCESS_TOKEN']}`, context: 'global' });
      await conversations.trash(conversationId);
    });
    const found: StoredSecret[] = [];
    const folders = [place.logs, join(place.root, 'memory-bank')];
    for await (const secret of scanFolders(folders, {
      sealer: plainSealer,
      signal,
      onFile: () => undefined,
      onUnread: () => undefined,
    })) {
      found.push(secret);
    }
    expect(found.map(({ kind, place: at }) => [kind, at])).toEqual([
      ['GITHUB_TOKEN', 'message 2'],
      ['NPM_ACCESS_TOKEN', undefined],
      ['SLACK_TOKEN', 'line 3'],
    ]);
    expect(JSON.stringify(found)).not.toContain(GITHUB);
  });
});
