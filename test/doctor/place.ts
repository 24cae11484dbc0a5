/** For the tests of the doctor: a root, its App, and functions to write files, check and repair. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type App, createApp } from '../../src/app.js';
import { type Config, loadConfig } from '../../src/config/config.js';
import type { Finding } from '../../src/doctor/check.js';
import type { Examination } from '../../src/doctor/doctor.js';
import { readTextIfPresent } from '../../src/files/safe-access/given-file.js';
import { TOOLSETS } from '../../src/tools/index.js';
import { tempFolder } from '../support/temp-folder.js';

export const ID = '20250124-1706102400123';
export const signal = new AbortController().signal;

export interface DoctorPlace {
  readonly folder: string;
  readonly root: string;
  readonly logs: string;
  readonly config: Config;
  /** Opens the App, runs `work`, and closes the App. */
  withApp<T>(work: (app: App) => Promise<T>): Promise<T>;
  write(name: string, text: string | Uint8Array): string;
  examine(): Promise<Examination>;
  findings(): Promise<Finding[]>;
  /** Makes all possible repairs. Returns a sentence or an error code for each. */
  repair(): Promise<string[]>;
}

export function doctorPlace(env: Record<string, string> = {}): DoctorPlace {
  const folder = tempFolder();
  const root = join(folder, 'root');
  mkdirSync(root, { mode: 0o700 });
  const config = loadConfig({
    flags: { root },
    env: { DAYBOOK_FSYNC: '0', ...env },
    cwd: folder,
    home: folder,
    platform: 'linux',
    knownToolsets: TOOLSETS,
    readFile: readTextIfPresent,
  });
  const withApp = async <T>(work: (app: App) => Promise<T>): Promise<T> => {
    const app = await createApp(config);
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  };
  const examine = () => withApp(({ doctor }) => doctor.examine({ signal }));
  return {
    folder,
    root,
    logs: config.logsDir,
    config,
    withApp,
    examine,
    write(name, text) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, text, { mode: 0o600 });
      return path;
    },
    findings: async () => (await examine()).steps.flatMap((step) => step.findings),
    repair: () =>
      withApp(async ({ doctor }) => {
        const outcomes = await (await doctor.examine({ signal })).repair(signal);
        return outcomes.map(({ done, error }) => done ?? error?.code ?? '');
      }),
  };
}

export const conversationText = (contents: readonly string[], more: object = {}): string => {
  const messages = contents.map((content, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content,
    id: `m${index}`,
    createdAt: '2025-01-24T15:00:00.123Z',
  }));
  const times = { createdAt: '2025-01-24T15:00:00.123Z', updatedAt: '2025-01-24T15:00:00.123Z' };
  const head = { conversationId: ID, ...times, messageCount: messages.length, ...more };
  return `${JSON.stringify({ ...head, messages }, null, 2)}\n`;
};
