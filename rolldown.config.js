/**
 * The command as a few files: resolving hundreds of modules would triple the time it takes to start.
 * Packed is what the handshake needs; the rest is loaded after it, from where npm put it
 * (some of it finds itself by `__filename`, which does not survive packing).
 */

/** The SDK imports it for a default that build-server.ts replaces; each start reads 250 kB less. */
const withoutAjv = {
  name: 'without-ajv',
  resolveId: (id) => (id.endsWith('/ajv-provider.js') ? 'without-ajv' : undefined),
  load: (id) => (id === 'without-ajv' ? 'export class AjvJsonSchemaValidator {}' : undefined),
};

export default {
  input: 'src/cli/main.ts',
  platform: 'node',
  logLevel: 'warn',
  external: [
    'age-encryption',
    'chokidar',
    'express',
    'express-rate-limit',
    'fzstd',
    /^gpt-tokenizer/,
    'jsonc-parser',
    'minisearch',
    'node-sqlite3-wasm',
    'proper-lockfile',
    're2js',
    'write-file-atomic',
    'yauzl',
  ],
  plugins: [withoutAjv],
  output: { dir: 'dist/cli', format: 'esm', sourcemap: true, sourcemapExcludeSources: true },
};
