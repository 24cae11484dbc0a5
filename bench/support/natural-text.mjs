/**
 * Text that people wrote, found on this machine: documentation of installed packages, `/usr/share/doc`,
 * manual pages, comments of C headers, and this repository's own history. It is cut into messages of 20
 * to 140 words where paragraphs end. No message comes twice, so the vocabulary grows with the corpus as
 * it does in real life. The order is by chance with a fixed seed: every kind is in every part.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

const LEAST_WORDS = 20;
const MOST_WORDS = 140;
const LARGEST_FILE = 4 * 2 ** 20;

export function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const packages = new URL('../../node_modules/', import.meta.url).pathname;
const withoutCode = (text) => text.replace(/```[\s\S]*?```/g, '\n');
const withoutMacros = (text) =>
  text
    .replace(/^[.'].*$/gm, '\n')
    .replace(/\\f[A-Z]|\\\(../g, '')
    .replace(/\\-/g, '-');
const commentsOf = (text) =>
  (text.match(/\/\*[\s\S]*?\*\//g) ?? []).join('\n\n').replace(/^[ \t]*\/?\*+\/?/gm, '');

const SOURCES = [
  { kind: 'package documentation', folder: packages, name: /\.md$/i, textOf: withoutCode },
  {
    kind: 'system documentation',
    folder: '/usr/share/doc',
    name: /(\.(txt|md|html?|rst)|README[^/]*|changelog[^/]*|NEWS[^/]*)(\.gz)?$/i,
    textOf: (text) => text.replace(/<[^>]*>/g, ' '),
  },
  { kind: 'manual pages', folder: '/usr/share/man', name: /man\d\/.*\.gz$/, textOf: withoutMacros },
  { kind: 'comments', folder: '/usr/include', name: /\.h(pp)?$/, textOf: commentsOf },
];

function filesOf({ folder, name, textOf, kind }) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => name.test(path))
    .map((path) => ({ path, textOf, kind }));
}

function historyOf(folder) {
  try {
    return execFileSync('git', ['-C', folder, 'log', '--format=%B%n'], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

function read(path) {
  const bytes = readFileSync(path);
  const whole = path.endsWith('.gz') ? gunzipSync(bytes) : bytes;
  return whole.length > LARGEST_FILE ? '' : whole.toString();
}

function* messagesOf(text) {
  let words = [];
  for (const paragraph of text.split(/\n\s*\n/)) {
    for (const word of paragraph.split(/\s+/)) {
      if (word !== '') words.push(word);
      if (words.length < MOST_WORDS) continue;
      yield words.join(' ');
      words = [];
    }
    if (words.length < LEAST_WORDS) continue;
    yield words.join(' ');
    words = [];
  }
}

function shuffle(list, random) {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
  return list;
}

/** At most `count` messages, and how many of each kind; fewer where this machine has not so much text. */
export function naturalText(count) {
  const random = seeded(7);
  const files = shuffle(SOURCES.flatMap(filesOf), random);
  const history = historyOf(new URL('../..', import.meta.url).pathname);
  const seen = new Set();
  const kinds = {};
  const messages = [];
  const take = (text, kind) => {
    for (const message of messagesOf(text)) {
      if (messages.length === count || seen.has(message)) continue;
      seen.add(message);
      messages.push(message);
      kinds[kind] = (kinds[kind] ?? 0) + 1;
    }
  };
  take(history, 'commit messages');
  for (const { path, textOf, kind } of files) {
    if (messages.length === count) break;
    take(textOf(read(path)), kind);
  }
  return { messages: shuffle(messages, random), kinds };
}
