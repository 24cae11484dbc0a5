/**
 * The views for the window of an assistant as one document without any reference: the host shows it in
 * a frame that has no network. Its policy lets nothing run but the script that is in it.
 */
import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';
import page from './vite.config.js';

const DOCUMENT = 'mcp-app.html';

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

function documentOf(script: string, style: string): string {
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types dompurify',
  ].join('; ');
  return [
    `<meta http-equiv="Content-Security-Policy" content="${policy}" />`,
    `<style>${style}</style>`,
    `<script type="module">${script}</script>`,
  ].join('\n    ');
}

/** Within a script these would end it or begin a comment; as an escape they mean the same. */
const embeddable = (script: string) => script.replace(/<(?=\/script|!--)/gi, '\\x3C');

const oneDocument: Plugin = {
  name: 'one-document',
  enforce: 'post',
  generateBundle(_options, bundle) {
    const files = Object.values(bundle);
    const document = files.find(({ fileName }) => fileName === DOCUMENT);
    const chunks = files.filter((file) => file.type === 'chunk');
    const styles = files.filter((file) => file.fileName.endsWith('.css'));
    const [chunk] = chunks;
    const [style] = styles;
    const isComplete = chunks.length === 1 && styles.length === 1 && files.length === 3;
    if (!isComplete || document?.type !== 'asset' || !chunk || style?.type !== 'asset') {
      return this.error('The views must be one script and one style sheet.');
    }
    const [before = '', after = ''] = String(document.source).split(/\s*<script[\s\S]*<\/head>/);
    const inlined = documentOf(embeddable(chunk.code), String(style.source).trim());
    document.source = `${before}\n    ${inlined}\n  </head>${after}`;
    delete bundle[chunk.fileName];
    delete bundle[style.fileName];
  },
};

/** zod brings its error messages in fifty languages, a third of the document; one is enough. */
const onlyEnglish: Plugin = {
  name: 'only-english',
  enforce: 'pre',
  resolveId: (id, importer) =>
    id.endsWith('/locales/index.js') && importer?.includes('/zod/') ? '\0only-english' : undefined,
  load: (id) =>
    id === '\0only-english' ? "export { default as en } from 'zod/v4/locales/en.js';" : undefined,
};

export default defineConfig({
  ...page,
  publicDir: false,
  plugins: [onlyEnglish, oneDocument],
  build: {
    ...page.build,
    outDir: resolve(import.meta.dirname, '../dist/mcp-app'),
    rolldownOptions: { input: resolve(import.meta.dirname, DOCUMENT) },
  },
});
