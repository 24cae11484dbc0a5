/** Installs optional packages with npm into the user's cache, without their install scripts. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { AppError } from '../base/errors.js';
import { atomicWrite, makeFolder } from '../files/atomic/atomic-write.js';
import { confirmOrEnd } from './terminal/confirm.js';

export interface Installation {
  /** Package name to exact version. */
  readonly packages: Readonly<Record<string, string>>;
  readonly folder: string;
  /** A text for people, such as `about 340 MB on disk`. */
  readonly size: string;
  /** True if the user has already agreed. */
  readonly yes: boolean | undefined;
}

/**
 * Asks, unless `yes` is set, and installs. Returns false if the answer was no. Throws VALIDATION_ERROR
 * without a terminal, and PROVIDER if npm fails.
 */
export async function installPackages(installation: Installation): Promise<boolean> {
  const { packages, folder, size, yes } = installation;
  const names = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  console.error(
    `This downloads ${names.join(', ')} from the npm registry into ${folder} (${size}).`,
  );
  if (!yes && !(await confirmOrEnd('Download and install?', 'Nothing was installed.')))
    return false;
  await makeFolder(folder, { fsync: false });
  await atomicWrite(
    join(folder, 'package.json'),
    Buffer.from(`${JSON.stringify({ private: true, dependencies: packages }, null, 2)}\n`),
    { fsync: true },
  );
  await runNpm(folder);
  return true;
}

/** npm waits for up to a minute between its attempts, for each package: minutes without a network. */
const SHORT_PAUSES = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=10000'];

/** `--ignore-scripts`, because the script of onnxruntime-node would download files for graphics cards. */
function runNpm(folder: string): Promise<void> {
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--omit=dev', ...SHORT_PAUSES];
  const args = ['install', ...options];
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
