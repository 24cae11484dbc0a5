/**
 * Damage of every kind in `encryption.json`, seeded: the store opens with its own key or not at all, and
 * no byte of it changes.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { convertEncryption } from '../../src/app/encryption.js';
import { createApp } from '../../src/app.js';
import { isAppError } from '../../src/base/errors.js';
import { conversationText, type DoctorPlace, doctorPlace, ID } from '../doctor/place.js';
import { DAMAGES } from '../support/damages.js';
import { filesBelow } from '../support/files-below.js';
import { printedRandom } from '../support/rounds.js';

const ROUNDS = 5;
/** FORMAT_TOO_NEW: of a version; LOCKED: the damage says that a conversion is under way. */
const REFUSALS = ['CORRUPT', 'DECRYPT', 'FORMAT_TOO_NEW', 'LOCKED'];
const FORMS: typeof DAMAGES = {
  ...DAMAGES,
  'larger than any marker': (bytes) => Buffer.concat([bytes, Buffer.alloc(70_000, ' ')]),
};

const bytesOf = ({ root }: DoctorPlace) =>
  new Map(filesBelow(root).map((path) => [path, readFileSync(path, 'latin1')]));

/** The text of the store's first message, or the code of the error that refuses it. */
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

describe('encryption.json with damage of the kind', () => {
  it.each(Object.entries(FORMS))('%s', async (kind, damage) => {
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
});
