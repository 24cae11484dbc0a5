/**
 * The command and the library, each as a few files: to resolve hundreds of modules would triple the time
 * a start takes, and packages that are contained here are not installed a second time (decision 0009).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';
import manifest from './package.json' with { type: 'json' };

/** The SDK imports it for a default that build-server.ts replaces; each start reads 250 kB less. */
const withoutAjv = {
  name: 'without-ajv',
  resolveId: (id) => (id.endsWith('/ajv-provider.js') ? 'without-ajv' : undefined),
  load: (id) => (id === 'without-ajv' ? 'export class AjvJsonSchemaValidator {}' : undefined),
};

/** Most sessions log nothing, so the package of the log is in a file of its own, which a start does not read. */
const withLogFile = {
  name: 'with-log-file',
  transform(code, id) {
    if (!id.endsWith('/base/log.ts')) return undefined;
    return { code: code.replace("require('pino')", "require('./pino.cjs')"), map: null };
  },
};

/** Modules whose content is known here, so that a start does not read or make it. */
const MADE = {
  '/base/version.ts': () => `export const VERSION = ${JSON.stringify(manifest.version)};`,
  // Making the schemas of all tools was a fifth of the work until a server's first list.
  '/server/built-listings.ts': async () => {
    const { tools } = await import('./dist/tools/index.js');
    const { toolListing } = await import('./dist/server/mcp/offered-tools.js');
    const listings = Object.fromEntries(tools.map((tool) => [tool.name, toolListing(tool)]));
    return `export const builtListings = JSON.parse(${JSON.stringify(JSON.stringify(listings))});`;
  },
};

const withMade = {
  name: 'with-made',
  async load(id) {
    const name = Object.keys(MADE).find((end) => id.endsWith(end));
    return name === undefined ? undefined : { code: await MADE[name](), moduleType: 'js' };
  },
};

/** Each matches where an escape would mean something else than the character. */
const NEEDS_CHARACTER = /\\[^\0-\x7f]|String\.raw`[^`]*[^\0-\x7f]/;

/**
 * Escapes all other characters than those of ASCII. V8 stores such a file with one byte for each character instead
 * of two, and reads and compiles it faster: `daybook list` takes 5 percent less CPU time.
 */
const asAscii = {
  name: 'as-ascii',
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk') continue;
      const [found] = NEEDS_CHARACTER.exec(chunk.code) ?? [];
      if (found !== undefined) throw new Error(`Write this with escapes: ${found.slice(-60)}`);
      const escaped = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
      chunk.code = chunk.code.replace(/[^\0-\x7f]/g, escaped);
    }
  },
};

/** What the licenses of the contained packages ask for: their texts go with the copies. */
const licenses = {
  name: 'licenses',
  generateBundle({ format }, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    const source = [...folders].sort().map(licenseOf).join('\n\n---\n\n');
    this.emitFile({
      type: 'asset',
      fileName: format === 'cjs' ? 'LICENSES-pino.txt' : 'LICENSES.txt',
      source,
    });
  },
};

/** Of a module's path up to the name of its package; nothing for our own modules. */
function packageFolder(path) {
  return /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path.replaceAll('\\', '/'))?.[0];
}

function licenseOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text = file === undefined ? '' : `\n\n${readFileSync(join(folder, file), 'utf8').trim()}`;
  return `${name} ${version} (${license})${text}`;
}

/** The SDK's types lie beside its modules, where a resolver of types does not look. */
const sdkTypes = {
  name: 'sdk-types',
  resolveId(id) {
    const [, path] = /^@modelcontextprotocol\/sdk\/(.*)\.js$/.exec(id) ?? [];
    return path && resolve('node_modules/@modelcontextprotocol/sdk/dist/esm', `${path}.d.ts`);
  },
};

/** zod's notes to ignore the variance of a type hold for the next line only, which bundling takes away. */
const withoutVariance = {
  name: 'without-variance',
  renderChunk: (code) => code.replace(/\/\*\* @ts-ignore Cast variance \*\/\s*out /g, ''),
};

/** `main.js` is CommonJS, which it says itself, and loads the ES modules beside it. */
const commonJsStart = {
  name: 'common-js-start',
  resolveId: (id) => (id === './run.js' ? { id: './run.mjs', external: true } : undefined),
  generateBundle() {
    this.emitFile({
      type: 'asset',
      fileName: 'package.json',
      source: '{ "type": "commonjs" }\n',
    });
  },
};

/**
 * Not for the user who builds Daybook: how long each plugin ran, and that another module also imports statically
 * what one imports when it needs it. In the command, such other modules are themselves loaded when needed.
 */
const checks = { bundlerTimings: false, ineffectiveDynamicImport: false };
const shared = {
  platform: 'node',
  logLevel: 'warn',
  checks,
  // These stay packages: small, most of them without dependencies, and loaded after the handshake.
  external: Object.keys(manifest.dependencies),
  // Its main file loads the others by `require` while it runs, which cannot be bundled.
  resolve: { alias: { 'jsonc-parser': resolve('node_modules/jsonc-parser/lib/esm/main.js') } },
  plugins: [withoutAjv, withLogFile, withMade, asAscii, licenses],
};
const logFile = (dir) => ({
  ...shared,
  input: { pino: 'pino' },
  output: { dir, format: 'cjs', entryFileNames: '[name].cjs' },
});
const format = { format: 'esm', sourcemap: true, sourcemapExcludeSources: true };

/** The modules that `id` imports statically, also through others. */
function importsOf(id, chunking, found = new Set()) {
  if (found.has(id)) return found;
  found.add(id);
  for (const imported of chunking.getModuleInfo(id).importedIds)
    importsOf(imported, chunking, found);
  return found;
}

const RUN = resolve('src/cli/run.ts');
const SERVE = resolve('src/cli/commands/serve.ts');
const OF_SERVER_ONLY =
  /[\\/](@modelcontextprotocol|src[\\/](cli[\\/](commands|serving)|resources|server))[\\/]/;

/** A file for all modules that the entries import statically and no group before it has. */
function groupOf(name, entries, test = () => true) {
  let used;
  return {
    name(id, chunking) {
      used ??= new Set(entries.flatMap((entry) => [...importsOf(resolve(entry), chunking)]));
      return used.has(id) && test(id) ? name : null;
    },
  };
}

/**
 * Each file takes time to find and open, so a start reads few: what `run.ts` needs, then what all commands
 * need, what a server needs for its first answer (in two files, because commands share one of them), what the
 * completion of a shell reads, the stores, and the commands of tools.
 */
const codeSplitting = {
  groups: [
    groupOf('start', [RUN], (id) => id !== RUN),
    groupOf('program', ['src/cli/program.ts', 'src/cli/terminal/stdout.ts']),
    groupOf('files', [SERVE], (id) => !OF_SERVER_ONLY.test(id)),
    { name: 'serve', test: (id) => id === SERVE },
    groupOf('conversations', ['src/cli/commands/completion.ts']),
    groupOf('app', ['src/app.ts']),
    groupOf('tools', ['src/cli/tools/tool-groups.ts']),
  ],
};

const builds = [
  {
    ...shared,
    input: 'src/cli/run.ts',
    output: {
      dir: 'dist/cli',
      codeSplitting,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
      ...format,
    },
  },
  {
    input: 'src/cli/main.ts',
    platform: 'node',
    plugins: [commonJsStart],
    output: { dir: 'dist/cli', format: 'cjs' },
  },
  {
    ...shared,
    input: 'src/index.ts',
    output: { dir: 'dist/lib', ...format },
  },
  logFile('dist/cli'),
  logFile('dist/lib'),
  // The types in one file, with those of the contained packages.
  {
    input: { index: resolve('dist/index.d.ts') },
    logLevel: 'warn',
    checks,
    external: [/^node:/, ...Object.keys(manifest.dependencies)],
    plugins: [
      sdkTypes,
      dts({ dtsInput: true, resolver: 'oxc', resolve: [/^zod/] }),
      withoutVariance,
    ],
    output: { dir: 'dist/lib', format: 'esm' },
  },
];

export default builds;

// `node rolldown.config.js` builds. The command of rolldown also prints a line for each of 240 files.
if (process.argv[1] === import.meta.filename) await build(builds);
