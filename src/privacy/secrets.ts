/**
 * Finds keys and passwords in well-known formats in a text, by the rules of secretlint, which are maintained
 * and tested. They are loaded at the first use. It reads no file and sends nothing.
 */
import { yieldToEventLoop } from '../base/async/time-slice.js';
import { GroupCommit, type Outcome } from '../files/atomic/group-commit.js';
import type { Secretlint } from './secretlint.js';

export interface Secret {
  /** Such as `GITHUB_TOKEN`. */
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * Every known format of a secret has at least 16 characters without a space. Most short messages have no such
 * word. It is searched only from the beginnings of words, which takes a third of the time.
 */
const LONG_WORD = /(?:^|\s)\S{16}/;
/** Daybook itself uses such a key, and secretlint has no rule for it yet. */
const PERPLEXITY_KEY = /\bpplx-[A-Za-z0-9]{40,64}\b/g;
/** Would let secretlint pass over what follows, also in the texts that are checked together with this one. */
const DIRECTIVE = /secretlint-(?=disable|enable)/g;
const MAY_CALL = { noPhysicFilePath: true };

/** Between texts that are checked together. No rule matches across it or uses the ends of a text. */
const SEPARATOR = '\n\0\n';
/**
 * The maximum length, in characters, of texts that are checked together. For longer texts this saves no time.
 */
const MAX_BATCH = 64 * 1024;

let loading: Promise<Secretlint> | undefined;

/** A fast check: false if the text certainly has no secret. */
export const mayHoldSecret = (text: string): boolean => LONG_WORD.test(text);

/**
 * Returns the secrets in order, without overlaps. The texts of calls at the same time are checked together.
 */
export async function secretsIn(text: string): Promise<readonly Secret[]> {
  return mayHoldSecret(text) ? waiting.add(text) : [];
}

/**
 * An import reads many texts in one turn of the event loop. They are checked after it, because each check
 * begins with a millisecond of work, whatever its length.
 */
const waiting = new GroupCommit<string, readonly Secret[]>(checkAll, {
  gather: () => yieldToEventLoop(),
});

async function checkAll(texts: readonly string[]): Promise<Outcome<readonly Secret[]>[]> {
  const found: Outcome<readonly Secret[]>[] = [];
  for (let from = 0, to = 0; from < texts.length; from = to) {
    let length = 0;
    for (to = from; to < texts.length; to += 1) {
      length += texts[to]?.length ?? 0;
      if (to > from && length > MAX_BATCH) break;
    }
    for (const value of await secretsOfEach(texts.slice(from, to))) found.push({ value });
  }
  return found;
}

/** Halves the texts until the few with secrets are found. */
async function secretsOfEach(texts: readonly string[]): Promise<(readonly Secret[])[]> {
  const found = await secretsOf(texts.join(SEPARATOR));
  if (texts.length === 1) return [found];
  if (found.length === 0) return texts.map(() => []);
  const middle = texts.length >> 1;
  const first = await secretsOfEach(texts.slice(0, middle));
  return [...first, ...(await secretsOfEach(texts.slice(middle)))];
}

async function secretsOf(given: string): Promise<readonly Secret[]> {
  const text = given.replace(DIRECTIVE, 'secretlint_');
  loading ??= load();
  const { lintSource, rules } = await loading;
  const { messages } = await lintSource({
    source: { content: text, filePath: 'message.txt', ext: '.txt', contentType: 'text' },
    options: { config: { rules: [...rules] }, ...MAY_CALL },
  });
  const found = messages.map(({ messageId, range, data }) => ({
    kind: messageId,
    ...placeOf(data, range, text),
  }));
  for (const { index, 0: key } of text.matchAll(PERPLEXITY_KEY)) {
    found.push({ kind: 'PERPLEXITY_API_KEY', start: index, end: index + key.length });
  }
  return withoutOverlaps(found);
}

/**
 * Some rules (AWS, npm) find a name with a value, and report the place of the name with the length of the
 * value. Then this is the place of the value.
 */
function placeOf(data: object = {}, [start, end]: readonly [number, number], text: string) {
  const isMisplaced = (value: unknown) =>
    typeof value === 'string' && value.length === end - start && !text.startsWith(value, start);
  const value: string | undefined = Object.values(data).find(isMisplaced);
  const at = value === undefined ? -1 : text.indexOf(value, start);
  return at === -1 ? { start, end } : { start: at, end: at + end - start };
}

function withoutOverlaps(found: readonly Secret[]): Secret[] {
  const kept: Secret[] = [];
  for (const secret of [...found].sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = kept.at(-1);
    if (last === undefined || secret.start >= last.end) kept.push(secret);
    else if (secret.end > last.end) kept.splice(-1, 1, { ...last, end: secret.end });
  }
  return kept;
}

async function load(): Promise<Secretlint> {
  const { loadSecretlint } = await import('./secretlint.js');
  return loadSecretlint();
}
