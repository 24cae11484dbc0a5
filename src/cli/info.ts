/**
 * `daybook info`: what the tool `store_info` tells, for people.
 */
import { createApp } from '../app.js';
import { storeInfo } from '../tools/conversations/store-info.js';
import { configuration, type Flags } from './configuration.js';

const CHOSEN_BY: Record<string, string> = {
  flag: 'chosen by --root',
  environment: 'chosen by DAYBOOK_ROOT',
  file: 'chosen by your configuration file',
  registered: 'registered with daybook init',
  home: 'the default',
};

/** Prints to stdout. */
export async function info(flags: Flags): Promise<void> {
  const config = configuration(flags);
  const app = await createApp(config);
  const call = { signal: new AbortController().signal, progress: () => undefined };
  const facts = await storeInfo.run({}, app, call);
  await app.close();
  const { settings } = facts;
  const rows = [
    ['version', facts.version],
    ['root', `${facts.root} (${CHOSEN_BY[facts.rootSource]})`],
    ['conversations', `${facts.conversations} in ${facts.conversationLogsDir}`],
    ['messages', `${facts.messages}`],
    ['search index', indexFacts(facts.indexCachePath)],
    ['configuration', facts.configFile],
    ['toolsets', settings.toolsets.join(', ')],
    ['fsync', settings.fsync ? 'on' : 'off'],
    ['max messages', `${settings.maxMessages} in one conversation`],
    ['Perplexity', settings.perplexity.configured ? settings.perplexity.backend : 'no key set'],
  ] as const;
  for (const [name, value] of rows) console.log(`${name.padEnd(14)} ${value}`);
  for (const { message } of facts.damaged) console.error(message);
  for (const notice of config.notices) console.error(notice);
}

/** This command builds none: it would take longer than the answer is worth. */
function indexFacts(cachePath: string | undefined): string {
  return cachePath === undefined
    ? 'built from the files by each server when it starts'
    : `built by each server when it starts; cached in ${cachePath}`;
}
