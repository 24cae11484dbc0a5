/**
 * Installs packages that are not installed with Daybook: npm itself fetches them from its registry into a
 * folder of the user's cache, and runs no script of theirs.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { AppError } from '../base/errors.js';
import { atomicWrite, makeFolder } from '../files/atomic/atomic-write.js';
import { canAsk, confirm } from './terminal/ask.js';

export interface Installation {
  /** Name and exact version of each. */
  readonly packages: Readonly<Record<string, string>>;
  readonly folder: string;
  /** As a person reads it: `about 340 MB on disk`. */
  readonly size: string;
  /** Whether the user agreed already. */
  readonly yes: boolean | undefined;
}

/**
 * Asks unless `yes`, then installs. False where the answer was no. VALIDATION_ERROR if no person can be
 * asked, PROVIDER where npm fails.
 */
export async function installPackages(installation: Installation): Promise<boolean> {
  const { packages, folder, size, yes } = installation;
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  console.error(
    `This downloads ${names.join(', ')} from the npm registry into ${folder} (${size}).`,
  );
  if (!yes && !(await isWanted())) return false;
  await makeFolder(folder, { fsync: false });
  await atomicWrite(
    join(folder, 'package.json'),
    Buffer.from(`${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`),
    { fsync: true },
  );
  await runNpm(folder);
  return true;
}

async function isWanted(): Promise<boolean> {
  if (canAsk()) return confirm('Download and install?');
  throw new AppError('VALIDATION_ERROR', 'Daybook cannot ask, because there is no terminal.', {
    hint: 'Nothing was installed. Run the command again with --yes.',
  });
}

/** Without scripts: that of onnxruntime-node would fetch files for graphics cards. */
function runNpm(folder: string): Promise<void> {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev'];
  return new Promise((resolve, reject) => {
    const isWindows = process.platform === 'win32';
    const child = spawn(isWindows ? 'npm.cmd' : 'npm', args, {
      cwd: folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      shell: isWindows,
    });
    child.on('error', (cause) => reject(failed(cause)));
    child.on('exit', (code) => (code === 0 ? resolve() : reject(failed())));
  });
}

function failed(cause?: unknown): AppError {
  return new AppError('PROVIDER', 'npm could not install the packages.', {
    hint: 'Check the network and try again. Packages that were installed before are not removed.',
    cause,
  });
}
