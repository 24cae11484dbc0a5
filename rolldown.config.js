/**
 * The command and the library, each as a few files: to resolve hundreds of modules would triple the time
 * a start takes, and packages that are contained here are not installed a second time (decision 0009).
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { dts } from 'rolldown-plugin-dts';
import manifest from './package.json' with { type: 'json' };

/** The SDK imports it for a default that build-server.ts replaces; each start reads 250 kB less. */
const withoutAjv = {
  name: 'without-ajv',
  resolveId: (id) => (id.endsWith('/ajv-provider.js') ? 'without-ajv' : undefined),
  load: (id) => (id === 'without-ajv' ? 'export class AjvJsonSchemaValidator {}' : undefined),
};

/** What `base/log.ts` requires is contained, and runs when it is required. The lines stay where they are. */
const withRequired = {
  name: 'with-required',
  transform(code, id) {
    if (!id.endsWith('/base/log.ts')) return undefined;
    return { code: code.replace('const require = createRequire(import.meta.url);', ''), map: null };
  },
};

/** The list of tools is made once, here: making its schemas was a fifth of the work until a server's first list. */
const withListings = {
  name: 'with-listings',
  async load(id) {
    if (!id.endsWith('/server/built-listings.ts')) return undefined;
    const { tools } = await import('./dist/tools/index.js');
    const { toolListing } = await import('./dist/server/mcp/offered-tools.js');
    const listings = Object.fromEntries(tools.map((tool) => [tool.name, toolListing(tool)]));
    const text = JSON.stringify(JSON.stringify(listings));
    return { code: `export const builtListings = JSON.parse(${text});`, moduleType: 'js' };
  },
};

/** What the licenses of the contained packages ask for: their texts go with the copies. */
const licenses = {
  name: 'licenses',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap(({ moduleIds = [] }) => moduleIds);
    const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
    const source = [...folders].sort().map(licenseOf).join('\n\n---\n\n');
    this.emitFile({ type: 'asset', fileName: 'LICENSES.txt', source });
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

const shared = {
  platform: 'node',
  logLevel: 'warn',
  // These stay packages: small, most of them without dependencies, and loaded after the handshake.
  external: Object.keys(manifest.dependencies),
  // Its main file loads the others by `require` while it runs, which cannot be bundled.
  resolve: { alias: { 'jsonc-parser': resolve('node_modules/jsonc-parser/lib/esm/main.js') } },
  plugins: [withoutAjv, withRequired, withListings, licenses],
};
const format = { format: 'esm', sourcemap: true, sourcemapExcludeSources: true };

export default [
  { ...shared, input: 'src/cli/main.ts', output: { dir: 'dist/cli', ...format } },
  { ...shared, input: 'src/index.ts', output: { dir: 'dist/lib', ...format } },
  // The types in one file, with those of the contained packages.
  {
    input: { index: resolve('dist/index.d.ts') },
    logLevel: 'warn',
    external: [/^node:/, ...Object.keys(manifest.dependencies)],
    plugins: [
      sdkTypes,
      dts({ dtsInput: true, resolver: 'oxc', resolve: [/^zod/] }),
      withoutVariance,
    ],
    output: { dir: 'dist/lib', format: 'esm' },
  },
];
