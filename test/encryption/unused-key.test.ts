/** A key is set, but the store is not encrypted: the user is told, because the files are open to other people. */
import { mkdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BareServer, type Place, runCommand, withPlace } from '../e2e/harness.js';
import { keyIn, run, withKey } from './store.js';

const NOTICE = 'is set, but the files of this store are not encrypted';

/** What `info`, `doctor` and the start of a server say about it. */
async function toldIn(place: Place): Promise<{ info: number; doctor: string[]; server: boolean }> {
  const json = async (command: string) =>
    JSON.parse((await runCommand(place, ['--root', place.root, command, '--json'])).stdout);
  const { problems } = (await json('info')) as { problems: string[] };
  const { steps } = (await json('doctor')) as {
    steps: { findings: { message: string; severity: string }[] }[];
  };
  const found = steps.flatMap(({ findings }) => findings);
  const server = new BareServer(place);
  await server.initialize();
  await server.answer(server.send('tools/call', { name: 'store_info', arguments: {} }));
  server.process.stdin.end();
  await server.exit();
  return {
    info: problems.filter((each) => each.includes(NOTICE)).length,
    doctor: found.filter((each) => each.message.includes(NOTICE)).map((each) => each.severity),
    server: server.stderr.includes(NOTICE),
  };
}

it.each([
  ['DAYBOOK_KEY_FILE', '--key-file'],
  ['DAYBOOK_PASSPHRASE', '--passphrase'],
])('%s of a store that is not encrypted is reported until it is', async (name, option) => {
  await withPlace(async (place) => {
    const key = keyIn(place);
    const env = name.endsWith('FILE')
      ? withKey(place, key).env
      : { ...place.env, [name]: 'a b c d e' };
    mkdirSync(place.root);
    const given = { ...place, env };
    await run(place, 'save', 'user', 'hello');
    expect(await toldIn(place)).toEqual({ info: 0, doctor: [], server: false });
    expect(await toldIn(given)).toEqual({ info: 1, doctor: ['warning'], server: true });
    await run(given, 'encrypt', option, ...(option === '--key-file' ? [key] : []), '--yes');
    expect(await toldIn(given)).toEqual({ info: 0, doctor: [], server: false });
  });
});
