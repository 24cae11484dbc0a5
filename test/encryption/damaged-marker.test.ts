/**
 * `encryption.json` with random damage of several kinds. The store opens with its key, or it does not open;
 * no byte of it changes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertEncryption } from '../../src/app/services/encryption.js';
import { createApp } from '../../src/app.js';
import { isAppError } from '../../src/base/errors.js';
import { conversationText, type DoctorPlace, doctorPlace, ID } from '../doctor/place.js';
import { DAMAGES } from '../support/damages.js';
import { filesBelow } from '../support/files-below.js';
import { printedRandom } from '../support/rounds.js';

const ROUNDS = 5;
/** FORMAT_TOO_NEW: the damage changed the version. LOCKED: it changed the marker to `converting`. */
const REFUSALS = ['CORRUPT', 'DECRYPT', 'FORMAT_TOO_NEW', 'LOCKED'];
const FORMS: typeof DAMAGES = {
  ...DAMAGES,
  'larger than any marker': (bytes) => Buffer.concat([bytes, Buffer.alloc(70_000, ' ')]),
};

const bytesOf = ({ root }: DoctorPlace) =>
  new Map(filesBelow(root).map((path) => [path, readFileSync(path, 'latin1')]));

/** The text of the first message of the store, or the code of the error if the store does not open. */
async function firstMessage({ config }: DoctorPlace): Promise<string> {
  try {
    const app = await createApp(config, { isReading: true });
    try {
      return (await app.conversations.load(ID)).messages[0]?.content ?? '';
    } finally {
      await app.close();
    }
  } catch (error) {
    if (isAppError(error)) return error.code;
    throw error;
  }
}

async function encryptedPlace(): Promise<DoctorPlace> {
  const place = doctorPlace();
  place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['raven one', 'two']));
  const keyFile = join(place.folder, 'key');
  writeFileSync(keyFile, 'a1'.repeat(32));
  await convertEncryption(place.config, { keyFile }, {});
  return {
    ...place,
    config: { ...place.config, encryption: { ...place.config.encryption, keyFile } },
  };
}

describe('a store whose encryption.json is damaged', () => {
  it.each(
    Object.entries(FORMS),
  )('opens with its key or not at all (damage: %s)', async (kind, damage) => {
    const place = await encryptedPlace();
    const marker = join(place.logs, 'encryption.json');
    const whole = readFileSync(marker);
    const random = printedRandom(kind);
    for (let round = 0; round < ROUNDS; round += 1) {
      writeFileSync(marker, damage(whole, random));
      const before = bytesOf(place);
      expect(['raven one', ...REFUSALS]).toContain(await firstMessage(place));
      expect(bytesOf(place)).toEqual(before);
    }
    writeFileSync(marker, whole);
    expect(await firstMessage(place)).toBe('raven one');
  });

  it.each([
    '{"toString": null}',
    `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
  ])('in its version is refused (%#)', async (version) => {
    const place = await encryptedPlace();
    const marker = join(place.logs, 'encryption.json');
    const whole = readFileSync(marker, 'utf8');
    writeFileSync(marker, whole.replace('"version": 1', `"version": ${version}`));
    expect(readFileSync(marker, 'utf8')).not.toBe(whole);
    expect(await firstMessage(place)).toBe('CORRUPT');
  });

  it('in the parameters of its passphrase is refused too', async () => {
    const place = doctorPlace();
    place.write(`conversation-logs/${ID}/conversation.json`, conversationText(['raven one']));
    const passphrase = 'correct horse';
    await convertEncryption(place.config, { passphrase }, {});
    const config = { ...place.config, encryption: { ...place.config.encryption, passphrase } };
    const marker = join(place.logs, 'encryption.json');
    const whole = readFileSync(marker, 'utf8');
    for (const [digits, code] of [
      ['"N": 131071', 'CORRUPT'], // no power of two
      ['"N": 2', 'DECRYPT'],
    ] as const) {
      writeFileSync(marker, whole.replace('"N": 131072', digits));
      expect(await firstMessage({ ...place, config })).toBe(code);
    }
    writeFileSync(marker, whole);
    expect(await firstMessage({ ...place, config })).toBe('raven one');
  });
});
