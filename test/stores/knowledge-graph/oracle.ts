/**
 * The slow reference from lines of the graph's files to their facts: it parses every line, sorts all
 * operations by time and id, and applies them one after the other.
 */

export interface LineOperation {
  s: string;
  p: string;
  o: string;
  op?: 'close' | 'delete';
  at: number;
  id: string;
  ts?: number;
  validTo?: number;
  conversationId?: string;
  messageId?: string;
}

/** The operations in the text of a snapshot or a log, whose lines must all be valid. */
export function operationsIn(text: string): LineOperation[] {
  return text
    .split('\n')
    .map((line) => line.replace(/,$/, ''))
    .filter((line) => line.startsWith('{"s"'))
    .map((line) => JSON.parse(line) as LineOperation);
}

/** The facts as sorted texts. */
export function replay(operations: readonly LineOperation[]): string[] {
  const sorted = [...operations].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
  const facts = new Map<string, { ts: number; validTo?: number; from: string }[]>();
  for (const { s, p, o, op = 'add', at, ts = at, validTo, ...origin } of sorted) {
    const name = JSON.stringify([s, p, o]);
    const versions = facts.get(name) ?? [];
    facts.set(name, versions);
    const open = versions.find((version) => version.validTo === undefined);
    const from = JSON.stringify([origin.conversationId, origin.messageId]);
    const isSame = versions.some((old) => old.ts === ts && old.validTo === validTo);
    if (op === 'delete') facts.set(name, []);
    else if (op === 'close') {
      for (const version of versions) {
        const isToCome = version.ts <= at && at < (version.validTo ?? 0);
        if (version === open || isToCome) version.validTo = Math.max(version.ts, validTo ?? at);
      }
    } else if (op === 'add' && validTo !== undefined && !isSame)
      versions.push({ ts, validTo, from });
    else if (op === 'add' && validTo === undefined && !open) versions.push({ ts, from });
  }
  return [...facts]
    .flatMap(([name, versions]) =>
      versions.map(({ ts, validTo, from }) => JSON.stringify([name, ts, validTo, from])),
    )
    .sort();
}
