/** The benches import built modules by path, which no compiler checks: each imported name must exist. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const IMPORT = /import \{([^}]+)\} from '[./]*dist\/([^']+)\.js'/g;

const imports = readdirSync(join(ROOT, 'bench'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.mjs') && !path.includes('node_modules'))
  .flatMap((path) =>
    Array.from(
      readFileSync(join(ROOT, 'bench', path), 'utf8').matchAll(IMPORT),
      ([, names = '', module = '']) => ({
        path,
        module,
        names: names.split(',').flatMap((name) => name.trim().split(' as ')[0] || []),
      }),
    ),
  );

it('finds the imports of the benches', () => {
  expect(imports.length).toBeGreaterThan(15);
});

it.each(imports)('bench/$path imports names that src/$module.ts exports', ({ module, names }) => {
  const source = readFileSync(join(ROOT, 'src', `${module}.ts`), 'utf8');
  const exported = new Set(
    Array.from(
      source.matchAll(/^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/gm),
      ([, name]) => name,
    ),
  );
  expect(names.filter((name) => !exported.has(name))).toEqual([]);
});
