/** For tests of encrypted stores: runs commands with a key, and finds files that contain a plain text. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Place, runCommand } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';

export const DIGITS = 'a1'.repeat(32);

export function keyIn({ folder }: Place, digits = DIGITS, name = 'key'): string {
  const path = join(folder, name);
  writeFileSync(path, `${digits}\n`);
  return path;
}

/** The same place, with the setting of this key file. */
export const withKey = (place: Place, path: string): Place => ({
  ...place,
  env: { ...place.env, DAYBOOK_KEY_FILE: path },
});

/** Runs a command that must succeed. */
export async function run(place: Place, ...args: string[]): Promise<string> {
  mkdirSync(place.root, { recursive: true });
  const { code, stdout, stderr } = await runCommand(place, ['--root', place.root, ...args]);
  expect({ args, code, stderr }).toEqual({ args, code: 0, stderr: expect.any(String) });
  return stdout;
}

/** The error of a command that must fail. */
export async function errorOf(
  place: Place,
  ...args: string[]
): Promise<{ code: string; hint: string; message: string }> {
  const { code, stdout } = await runCommand(place, ['--root', place.root, ...args, '--json']);
  expect(code).not.toBe(0);
  return (
    JSON.parse(stdout) as {
      error: { code: string; hint: string; message: string };
    }
  ).error;
}

/** The code of a command that must fail. */
export async function failure(place: Place, ...args: string[]): Promise<string> {
  return (await errorOf(place, ...args)).code;
}

/** The files that contain the text in UTF-8, UTF-16 or base64. */
export function filesWith(text: string, folders: readonly string[]): string[] {
  const shapes = [
    Buffer.from(text),
    Buffer.from(text.toLowerCase()),
    Buffer.from(text, 'utf16le'),
    Buffer.from(Buffer.from(text).toString('base64').slice(2, -4)),
  ];
  return folders.flatMap(filesBelow).filter((path) => {
    const bytes = readFileSync(path);
    return shapes.some((shape) => bytes.includes(shape));
  });
}
