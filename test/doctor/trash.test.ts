/** The doctor names what is in the trash and cannot be read. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusOf } from '../../src/doctor/doctor.js';
import { conversationText, type DoctorPlace, doctorPlace, ID } from './place.js';

const TRASHED = `conversation-logs/.trash/${ID}.20250601T000000000Z/conversation.json`;

const inTrash = async (place: DoctorPlace) => {
  const { steps } = await place.examine();
  const step = steps.find(({ check }) => check === 'trash');
  return { status: statusOf(steps), checked: step?.checked, findings: step?.findings };
};

describe('the check of the trash', () => {
  it('has no finding for a conversation, an insight and a note that can be read', async () => {
    const place = doctorPlace();
    place.write(TRASHED, conversationText(['one', 'two']));
    await place.withApp(async ({ insights, memoryBank }) => {
      const { id } = await insights.save({ content: 'old', context: 'global' });
      await insights.trash(id);
      await memoryBank.add('ideas/garden.md', '# Garden\n');
      await memoryBank.delete('ideas/garden.md');
    });
    expect(await inTrash(place)).toMatchObject({ checked: 3, findings: [] });
  });

  it('names a damaged conversation, and its hint saves the complete messages', async () => {
    const place = doctorPlace();
    const path = place.write(TRASHED, conversationText(['one', 'two']).slice(0, -60));
    const { status, findings } = await inTrash(place);
    expect(status).toBe(0);
    expect(findings).toMatchObject([
      { severity: 'note', path, hint: expect.stringContaining(`daybook trash restore ${ID}.2025`) },
    ]);
    await place.withApp(async ({ conversations }) => void (await conversations.restore(ID)));
    await place.repair();
    const messages = await place.withApp(
      async ({ conversations }) => (await conversations.load(ID)).messages,
    );
    expect(messages.map(({ content }) => content)).toEqual(['one']);
  });

  it('says that no message can be saved, and names a folder without a conversation', async () => {
    const place = doctorPlace();
    const path = place.write(TRASHED, 'x');
    const [first] = (await inTrash(place)).findings ?? [];
    expect(first).toMatchObject({ path, hint: expect.not.stringContaining('--repair') });
    rmSync(path);
    place.write(TRASHED.replace('conversation.json', 'summaries.json'), '{}');
    expect((await inTrash(place)).findings).toMatchObject([{ severity: 'note', path }]);
  });

  it('names damaged insights and notes', async () => {
    const place = doctorPlace();
    const names = await place.withApp(async ({ insights, memoryBank }) => {
      const { id } = await insights.save({ content: 'old', context: 'global' });
      const insightName = (await insights.trash(id))?.trashName ?? '';
      await memoryBank.add('ideas/garden.md', '# Garden\n');
      const note = await memoryBank.delete('ideas/garden.md');
      return [join('insights', insightName), note.trashName ?? ''];
    });
    const [insight = '', note = ''] = names.map((name) =>
      join(place.root, 'memory-bank', '.trash', name),
    );
    writeFileSync(insight, readFileSync(insight).subarray(0, 20));
    writeFileSync(note, Buffer.from([0x23, 0xff, 0xfe]));
    const { findings = [] } = await inTrash(place);
    expect(findings.map(({ path }) => path)).toEqual([insight, note]);
    expect(findings.map(({ severity }) => severity)).toEqual(['note', 'note']);
  });
});
