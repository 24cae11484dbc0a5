/** The bytes of each WebAssembly are those of its text. `npm run gen` writes them. */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import wabt from 'wabt';

const ROOT = resolve(import.meta.dirname, '..');
const texts = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.wat'),
);

it('there are texts', () => {
  expect(texts.length).toBeGreaterThan(0);
});

it.each(texts)('the bytes of %s are current', async (path) => {
  const module = (await wabt()).parseWat(path, readFileSync(join(ROOT, 'src', path), 'utf8'));
  const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64');
  const name = basename(path, '.wat').replaceAll('-', '_').toUpperCase();
  const lines = base64.match(/.{1,90}/g) ?? [];
  const value = lines.map((line) => `  '${line}'`).join(' +\n');
  const source = `/** The bytes of ${basename(path)} in Base64, written by \`npm run gen\`. */\nexport const ${name} =\n${value};\n`;
  await expect(source).toMatchFileSnapshot(join(ROOT, 'src', path.replace(/\.wat$/, '-wasm.ts')));
});
