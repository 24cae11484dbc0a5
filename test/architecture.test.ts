/**
 * Checks the structure of `src/`: an import goes only to the same component or to a lower layer, and only one
 * component uses each external interface. Reads the import lines of every source file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../src');
const ARCHITECTURE = resolve(import.meta.dirname, '../docs/ARCHITECTURE.md');

/** Lowest first; components of one layer may not import each other. */
const LAYERS: readonly (readonly string[])[] = [
  ['base'],
  ['config', 'fts'],
  ['files', 'providers', 'recall'],
  ['stores'],
  ['search'],
  [
    'research',
    'context',
    'embeddings',
    'encryption',
    'privacy',
    'import',
    'exchange',
    'maintenance',
  ],
  ['analytics', 'doctor'],
  ['app'],
  ['tools', 'resources'],
  ['server'],
  ['cli'],
  ['api'],
  ['index'],
];
const layerOf = new Map(
  LAYERS.flatMap((components, layer) => components.map((component) => [component, layer])),
);

/** What may be named where: a pattern over source text, and the components (or files) that may use it. */
const EXTERNAL_INTERFACES: readonly {
  thing: string;
  pattern: RegExp;
  components: readonly string[];
}[] = [
  { thing: 'node:fs', pattern: /['"]node:fs(\/promises)?['"]/, components: ['files'] },
  { thing: 'chokidar', pattern: /['"]chokidar['"]/, components: ['files'] },
  { thing: 'modern-tar', pattern: /['"]modern-tar['"]/, components: ['files'] },
  { thing: 'yauzl', pattern: /['"]yauzl['"]/, components: ['files'] },
  { thing: 'fzstd', pattern: /['"]fzstd['"]/, components: ['files'] },
  { thing: 'SQLite', pattern: /['"]node-sqlite3-wasm['"]/, components: ['files'] },
  { thing: 'write-file-atomic', pattern: /['"]write-file-atomic['"]/, components: ['files'] },
  { thing: 'proper-lockfile', pattern: /['"]proper-lockfile['"]/, components: ['files'] },
  { thing: 'fetch', pattern: /(?<![.\w])fetch\(/, components: ['providers'] },
  { thing: 'node:http', pattern: /['"]node:https?['"]/, components: ['server'] },
  { thing: 'express', pattern: /['"]express(-rate-limit)?['"]/, components: ['server'] },
  { thing: 'minisearch', pattern: /['"]minisearch['"/]/, components: ['fts', 'search'] },
  { thing: 're2js', pattern: /['"]re2js['"]/, components: ['search'] },
  { thing: 'the MCP SDK', pattern: /['"]@modelcontextprotocol\//, components: ['server'] },
  { thing: 'process.env', pattern: /process\.env/, components: ['config'] },
  { thing: 'stdout', pattern: /process\.stdout|console\./, components: ['cli'] },
  { thing: 'the clock', pattern: /Date\.now\(|performance\.now\(/, components: ['base'] },
  {
    thing: 'ciphers',
    pattern: /createCipheriv|createDecipheriv|scrypt(Sync)?\(/,
    components: ['files'],
  },
  { thing: 'randomness', pattern: /randomUUID|randomBytes|Math\.random/, components: ['base'] },
];

/** Folders with one file for each member of a growing list; their names are the index. */
const LISTS = /^(cli\/(commands|definitions)|import\/sources|recall\/languages|tools\/[\w-]+)$/;
/** About a dozen. Fields and helpers that a whole component shares lie at its top. */
const MOST_FILES_PER_FOLDER = 18;

interface Source {
  path: string;
  component: string;
  text: string;
  code: string;
}

const componentOf = (path: string) => (path.split('/')[0] ?? '').replace(/\.[jt]s$/, '');
const withoutComments = (text: string) =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');

const sources: Source[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => path.endsWith('.ts'))
  .map((path) => {
    const text = readFileSync(join(SRC, path), 'utf8');
    return { path, component: componentOf(path), text, code: withoutComments(text) };
  });

const imports = sources.flatMap((source) =>
  [...source.code.matchAll(/(?:from|import)\s*\(?\s*['"](\.[^'"]+)['"]/g)].map((match) => {
    const target = relative(SRC, resolve(SRC, dirname(source.path), match[1] ?? ''));
    return { from: source.path, to: target.replaceAll('\\', '/') };
  }),
);

/** Each circle that a walk along the imports meets, as the sorted files on it. */
function circles(): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) {
    const path = to.replace(/\.js$/, '.ts');
    targets.set(from, [...(targets.get(from) ?? []), path]);
  }
  const found = new Map<string, string[]>();
  const finished = new Set<string>();
  const walk = (file: string, way: readonly string[]): void => {
    const start = way.indexOf(file);
    if (start >= 0) {
      const circle = way.slice(start).sort();
      found.set(circle.join(' '), circle);
    }
    if (start >= 0 || finished.has(file)) return;
    for (const target of targets.get(file) ?? []) walk(target, [...way, file]);
    finished.add(file);
  };
  for (const file of targets.keys()) walk(file, []);
  return [...found.values()];
}

/** The files that are loaded with `from`: its imports of values, and theirs, without `import()`. */
function loadedWith(from: readonly string[]): Set<string> {
  const codeOf = new Map(sources.map(({ path, code }) => [path, code]));
  const loaded = new Set(from);
  for (const path of loaded) {
    const code = codeOf.get(path) ?? '';
    for (const [, name = ''] of code.matchAll(
      /^(?:im|ex)port (?!type)[^;(]*?from '(\.[^']+)\.js'/gm,
    ))
      loaded.add(`${relative(SRC, resolve(SRC, dirname(path), name)).replaceAll('\\', '/')}.ts`);
  }
  return loaded;
}

describe('architecture', () => {
  it('sees the sources and their imports', () => {
    expect(sources.length).toBeGreaterThan(550);
    expect(imports.length).toBeGreaterThan(2_000);
  });

  it('has no circle of imports between files, types included', () => {
    expect(circles()).toEqual([]);
  });

  it('loads neither tools, index nor locks before a server answers initialize', () => {
    const loaded = loadedWith(['cli/program.ts', 'cli/commands/serve.ts']);
    expect(loaded).toContain('server/mcp/handlers/tool-handlers.ts');
    const late =
      /^tools\/(?!define-tool)|text-index|fts\/(segments|terms|tokenizing)|^recall\/|find-index|file-lock|^app\.ts/;
    expect([...loaded].filter((path) => late.test(path))).toEqual([]);
  });

  it('keeps folders small enough to be read at a glance', () => {
    const counts = new Map<string, number>();
    for (const { path } of sources) {
      const folder = dirname(path);
      counts.set(folder, (counts.get(folder) ?? 0) + 1);
    }
    expect(counts.size).toBeGreaterThan(60);
    const large = [...counts].filter(
      ([folder, count]) => count > MOST_FILES_PER_FOLDER && !LISTS.test(folder),
    );
    expect(large).toEqual([]);
  });

  it('has a layer for every component', () => {
    expect(sources.filter((s) => !layerOf.has(s.component)).map((s) => s.path)).toEqual([]);
  });

  it('names the components that there are, and the table of ARCHITECTURE.md the same', () => {
    const components = new Set(sources.map(({ component }) => component));
    expect([...layerOf.keys()].filter((component) => !components.has(component))).toEqual([]);
    const rows = readFileSync(ARCHITECTURE, 'utf8').match(/^\| \d+ \| [^|]+/gm) ?? [];
    const told = rows.flatMap((row) => row.match(/(?<=`)[\w-]+(?=`)/g) ?? []);
    expect(told.sort()).toEqual([...layerOf.keys()].sort());
  });

  it('imports only from lower layers or from the same component', () => {
    const wrong = imports.filter(({ from, to }) => {
      const [here, there] = [componentOf(from), componentOf(to)];
      return here !== there && (layerOf.get(there) ?? 99) >= (layerOf.get(here) ?? -1);
    });
    expect(wrong).toEqual([]);
  });

  it('lets only the composition root, the server and the command line read the configuration', () => {
    const readers = imports.filter(({ to }) => componentOf(to) === 'config');
    const allowed = ['config', 'app', 'server', 'cli', 'api', 'index'];
    expect(readers.filter(({ from }) => !allowed.includes(componentOf(from)))).toEqual([]);
  });

  it.each(EXTERNAL_INTERFACES)('uses $thing only in its component', ({ pattern, components }) => {
    const outside = sources.filter(
      (s) => pattern.test(s.code) && !components.includes(s.component),
    );
    expect(outside.map((s) => s.path)).toEqual([]);
  });

  it('opens the content of files only in the modules of files/safe-access', () => {
    const opening =
      /^(open|opendir|readFile|writeFile|appendFile|createReadStream|createWriteStream|truncate|cp)(Sync)?$/;
    const importing = (code: string) =>
      [...code.matchAll(/import\s*\{([^}]*)\}\s*from 'node:fs(?:\/promises)?'/g)]
        .flatMap(([, names = '']) => names.split(',').map((name) => name.trim().split(' as ')[0]))
        .some((name) => opening.test(name ?? ''));
    const whole = /import\s+(?:\* as )?\w+\s+from 'node:fs/;
    const found = sources.filter((s) => importing(s.code) || whole.test(s.code)).map((s) => s.path);
    // The second one reads what /proc says of other processes.
    const allowed = /^files\/(safe-access\/[\w-]+|locks\/process-identity)\.ts$/;
    expect(found.filter((path) => !allowed.test(path))).toEqual([]);
    expect(found).toContain('files/safe-access/open-regular.ts');
  });

  it('every file has at most 400 lines and a header that describes its purpose', () => {
    expect(sources.filter((s) => s.text.split('\n').length > 400).map((s) => s.path)).toEqual([]);
    const headerless = sources.filter((s) => !/^(#!.*\n)?\/\*\*/.test(s.text));
    expect(headerless.map((s) => s.path)).toEqual([]);
  });
});
