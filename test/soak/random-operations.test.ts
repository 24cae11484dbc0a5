/**
 * A soak: three servers on one root carry out random operations at once, on conversations, notes, insights and
 * facts, while servers are killed and stopped, an editor saves files, and commands run beside them. After
 * each round every server must answer as a model of the store expects. `DAYBOOK_SOAK=20` makes it longer,
 * `DAYBOOK_SEED` repeats the same choices (not the same timing).
 */
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { printedRandom, rounds, timeLimitMs } from '../support/rounds.js';
import { check } from './check.js';
import { Operations } from './operations.js';
import { SoakServer } from './soak-server.js';

const OVER = ['stdio', 'stdio', 'http'] as const;
const AT_ONCE = 6;
const OPERATIONS = 120;
/** They run beside the servers. Status 1: something was found, such as a file that an editor saves just now. */
const COMMANDS = [
  ['list'],
  ['search', 'zebra'],
  ['export'],
  ['doctor', '--repair', '--yes'],
  ['doctor', '--repair', '--yes'],
  ['backup'],
  ['kg', 'save'],
  ['kg', 'save'],
];

/** What `archive` and `prune` print of a conversation that they leave where it is. */
const SKIPPED = /was not (archived|moved): (it has changed|.* is not valid JSON)/;

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A root with an encrypted store. */
async function encrypted(place: Place): Promise<Place> {
  const keyFile = join(place.folder, 'key');
  writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
  const open = { ...place, env: { ...place.env, DAYBOOK_KEY_FILE: keyFile } };
  for (const args of [['init'], ['encrypt', '--key-file', keyFile, '--yes']])
    await runCommand(open, ['--root', place.root, ...args]);
  return open;
}

async function soak(place: Place, isEncrypted: boolean): Promise<void> {
  const random = printedRandom('random operations');
  const below = (limit: number) => Math.floor(random() * limit);
  const run = async (args: readonly string[], worst: number) => {
    const { code, stdout, stderr } = await runCommand(place, ['--root', place.root, ...args]);
    // An editor is saving a conversation, or something changed one after it was chosen.
    const isSkipped = code === 1 && SKIPPED.test(stderr);
    if (code > worst && !isSkipped)
      operations.problems.push(`${args.join(' ')}: ${code} ${stdout} ${stderr}`);
    return stdout + stderr;
  };
  const command = (...args: string[]) => run(args, 0);
  const operations = new Operations(place.root, random, command, !isEncrypted);
  const servers = OVER.map((over) => new SoakServer(place, over));
  const any = () => servers[below(servers.length)] as SoakServer;
  const checkAll = async (server: SoakServer, share: number) => {
    const sample = (texts: readonly string[]) => texts.filter(() => random() < share);
    operations.problems.push(...(await check(server, operations.items, sample)));
  };
  let isOver = false;
  const disturb = async () => {
    while (!isOver) {
      await pause(below(150));
      const which = below(6);
      if (which < 4) await any().restart();
      else if (which === 4) await any().sleep(below(1_500));
      else await run(COMMANDS[below(COMMANDS.length)] ?? [], 1);
    }
  };
  const work = async () => {
    for (let done = 0; done < OPERATIONS / AT_ONCE; done++) await operations.step(any());
  };

  await Promise.all(servers.map((server) => server.start()));
  for (let round = 0; round < rounds(1); round++) {
    isOver = false;
    const disturbing = disturb();
    await Promise.all(range(AT_ONCE).map(work));
    isOver = true;
    await disturbing;
    for (const server of servers) await checkAll(server, 1 / (round + 1));
    expect(operations.problems, `round ${round}`).toEqual([]);
  }
  const kills = servers.reduce((sum, server) => sum + server.kills, 0);
  console.log(`${kills} kills, ${operations.items.length} items`, operations.counts);
  for (const server of servers) await server.close();

  await command('doctor');
  // A start with the cache of the index, and one without.
  for (const isCached of [true, false]) {
    if (!isCached) rmSync(join(place.folder, '.cache'), { recursive: true, force: true });
    const server = new SoakServer(place, 'stdio');
    await server.start();
    await checkAll(server, 1);
    await server.close();
  }
  expect(operations.problems, 'after the last round').toEqual([]);
}

describe('random operations on three servers that are killed and stopped', () => {
  it.each([
    ['plain', false],
    ['encrypted', true],
  ])(
    'each server reads and finds exactly what was confirmed, in a store that is %s',
    (_, isEncrypted) =>
      withPlace(async (place) => soak(isEncrypted ? await encrypted(place) : place, isEncrypted)),
    timeLimitMs(300_000),
  );
});
