/**
 * Exports a whole store with the built code, for tests that limit the memory of the process.
 * `node export-all.mjs <dist> <folder> <format>`: the store is `<folder>/logs`; prints the result.
 */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [dist, folder, format] = process.argv.slice(2);
const load = (path) => import(pathToFileURL(join(dist, path)).href);
const { systemClock: clock } = await load('base/clock.js');
const { openConversationStore } = await load('stores/conversations/conversations.js');
const { ConversationDocuments } = await load(
  'stores/conversations/files/conversation-documents.js',
);
const { SummaryStore } = await load('stores/summaries/summary-store.js');
const { Exporter } = await load('exchange/export.js');

const common = { logsFolder: join(folder, 'logs'), fsync: false, clock };
const store = await openConversationStore({ ...common, maxMessages: 10_000 });
const documents = new ConversationDocuments(common);
const summaries = new SummaryStore({ ...common, conversations: store });
const places = { store, documents, summaries, exportsFolder: join(folder, 'exports') };
const exporter = new Exporter({ ...common, ...places });
const request = { format, selection: {}, forSharing: false };
process.stdout.write(JSON.stringify(await exporter.toFile(`all.${format}`, request)));
