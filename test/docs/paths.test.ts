/** Every file and folder of this repository that a document names exists. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** Markdown files below a folder, relative to the repository. */
const markdownBelow = (folder: string) =>
  readdirSync(resolve(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);

/** A path from the top of the repository; no part of a longer path, of an address or of a glob. */
const PATH = /(?<![\w./-])(?:src|test|bench|docs|page\/src)\/[\w./-]*\w(?![\w*<])/g;

/** Paths that are examples of what a user may have. */
const EXAMPLES = new Set(['src/a_b.ts']);

it('documents name only files of src, test, bench, docs and page/src that exist', () => {
  const documents = [
    'README.md',
    'AGENTS.md',
    ...markdownBelow('docs'),
    ...markdownBelow('memory-bank'),
  ];
  const named = documents.flatMap((document) =>
    [...readFileSync(resolve(ROOT, document), 'utf8').matchAll(PATH)].map(([path]) => ({
      document,
      path,
    })),
  );
  expect(documents.length).toBeGreaterThan(80);
  expect(named.length).toBeGreaterThan(60);
  const missing = named.filter(
    ({ path }) => !EXAMPLES.has(path) && !existsSync(resolve(ROOT, path)),
  );
  expect(missing).toEqual([]);
});
