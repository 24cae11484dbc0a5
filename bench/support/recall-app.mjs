/**
 * Daybook as a client has it, over a folder of bench/recall.mjs: its tools, with vectors of the local model
 * or without. The settings of the user who runs the bench do not count.
 */
import { cpSync, existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedder, packagesFolder } from '../../dist/app/services/embeddings.js';
import { createApp } from '../../dist/app.js';
import { systemClock } from '../../dist/base/clock.js';
import { sha256Hex } from '../../dist/base/ids.js';
import { loadConfig } from '../../dist/config/config.js';
import { passageKey } from '../../dist/embeddings/passage-rows.js';
import { VectorFiles } from '../../dist/embeddings/vectors/vector-files.js';
import { quantized } from '../../dist/embeddings/vectors/vector-table.js';
import { passagesOf } from '../../dist/recall/passages.js';
import { tools } from '../../dist/tools/index.js';

const MODEL = resolve(import.meta.dirname, '../model');
const BATCH = 16;
const ROWS_A_FILE = 4_096;

/** `call` answers like the tool of that name; `vectors` is what recall asks, where there are any. */
export async function openRecallApp({ root, cacheHome, withVectors }) {
  const env = { XDG_CACHE_HOME: cacheHome, ...(withVectors && { DAYBOOK_EMBEDDINGS: 'local' }) };
  const places = { cwd: root, home: root, knownToolsets: [], readFile: () => undefined };
  const config = loadConfig({ env, flags: { root }, ...places });
  if (withVectors) copyPackages(packagesFolder(config));
  const app = await createApp(config);
  if (withVectors) await embedAll(app, config);
  app.start();
  await app.search.built();
  if (withVectors) {
    while (app.embeddings.progress().state !== 'ready') await delay(100);
  }
  const caller = {
    signal: new AbortController().signal,
    isRemote: false,
    progress: () => undefined,
  };
  return {
    vectors: app.embeddings.vectors,
    call(name, input) {
      const tool = tools.find((each) => each.name === name);
      return tool.run(tool.input.parse(input), app, caller);
    },
    close: () => app.close(),
  };
}

/** A copy, since no link is followed there; 340 MB, once. */
function copyPackages(folder) {
  const copy = join(folder, 'node_modules');
  if (!existsSync(copy)) cpSync(join(MODEL, 'node_modules'), copy, { recursive: true });
}

/** What the server would do in the background, resting half of the time. */
async function embedAll(app, config) {
  const embedder = await openEmbedder(config, systemClock);
  const { cacheFolder, logsDir } = config;
  const folder = join(cacheFolder, 'vectors', sha256Hex(logsDir).slice(0, 32));
  const model = sha256Hex(embedder.identity).slice(0, 16);
  const files = new VectorFiles(join(folder, model), embedder.identity);
  const missing = new Map();
  for (const { conversationId } of await app.conversations.list()) {
    for (const { content } of (await app.conversations.load(conversationId)).messages) {
      for (const { start, end } of passagesOf(content)) {
        missing.set(passageKey(content.slice(start, end)), content.slice(start, end));
      }
    }
  }
  for await (const { rows } of files.readNewFiles())
    for (const { key } of rows) missing.delete(key);
  // Texts of like length together: a batch is as long as its longest.
  const todo = [...missing].sort(([, a], [, b]) => a.length - b.length);
  console.log(`${todo.length} passages to embed`);
  let rows = [];
  for (let at = 0; at < todo.length; at += BATCH) {
    const batch = todo.slice(at, at + BATCH);
    const vectors = await embedder.embed(batch.map(([, text]) => text));
    rows.push(...batch.map(([key], place) => ({ key, ...quantized(vectors[place]) })));
    if (rows.length < ROWS_A_FILE && at + BATCH < todo.length) continue;
    await files.write(rows);
    rows = [];
  }
  await embedder.close();
}
