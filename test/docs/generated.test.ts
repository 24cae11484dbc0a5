/**
 * Generated documents are current (`npm run gen` writes them), and README.md has what it must.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/base/errors.js';
import { tools } from '../../src/tools/index.js';
import { renderCli, renderErrors, renderTools } from './render.js';
import { renderMan } from './render-man.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(resolve(ROOT, path), 'utf8');

describe('generated documents', () => {
  it.each([
    ['docs/TOOLS.md', renderTools],
    ['docs/ERRORS.md', renderErrors],
    ['docs/CLI.md', renderCli],
    ['man/daybook.1', renderMan],
  ])('%s is current', async (path, render) => {
    await expect(render()).toMatchFileSnapshot(resolve(ROOT, path));
  });

  it('the manual page is in a list, because npm installs no other form of this field', () => {
    expect(JSON.parse(read('package.json'))).toMatchObject({ man: ['./man/daybook.1'] });
  });

  it('explain every code and every tool', () => {
    const errors = read('docs/ERRORS.md');
    expect(Object.keys(ERROR_KINDS).filter((code) => !errors.includes(`### ${code} `))).toEqual([]);
    const listed = read('docs/TOOLS.md');
    expect(tools.filter(({ name }) => !listed.includes(`### ${name}\n`))).toEqual([]);
  });
});

it('the text below the examples of a help fits into a terminal of 80 columns', () => {
  const helps = [...read('docs/CLI.md').matchAll(/^Examples?:\n([^`]+)^```/gm)];
  expect(helps.length).toBeGreaterThan(50);
  const lines = helps.flatMap(([, text = '']) => text.split('\n'));
  expect(lines.filter((line) => !line.startsWith('  ') && line.length > 80)).toEqual([]);
});

describe('hand-written documents', () => {
  it('link only to files that exist', () => {
    const documents = ['README.md', 'AGENTS.md', ...readdirSync(resolve(ROOT, 'docs'))]
      .filter((name) => name.endsWith('.md'))
      .map((name) => (existsSync(resolve(ROOT, 'docs', name)) ? `docs/${name}` : name));
    expect(documents.length).toBeGreaterThan(12);
    let count = 0;
    for (const path of documents) {
      const folder = resolve(ROOT, path, '..');
      const links = [...read(path).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
        (match) => match[1] ?? '',
      );
      count += links.length;
      for (const link of links)
        expect(existsSync(resolve(folder, link)), `${path}: ${link}`).toBe(true);
    }
    expect(count).toBeGreaterThan(30);
  });

  it('README.md can be read in a minute', () => {
    expect(read('README.md').trimEnd().split('\n').length).toBeLessThanOrEqual(180);
  });

  it('AGENTS.md stays short', () => {
    expect(read('AGENTS.md').trimEnd().split('\n').length).toBeLessThanOrEqual(40);
  });

  it('docs/DEPENDENCIES.md explains every dependency', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;
    const names = [
      ...Object.keys(manifest['dependencies'] ?? {}),
      ...Object.keys(manifest['devDependencies'] ?? {}),
    ];
    const text = read('docs/DEPENDENCIES.md');
    expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
  });
});
