/** The tokenizer against SQLite's own, for every code point of Unicode and for mixed text. */
import { describe, expect, it } from 'vitest';
import { termsOf, tokenize } from '../../src/fts/tokenizing/tokenizer.js';
import { inTransaction, openSqlite, rowsOf } from '../support/sqlite.js';

function sqliteTerms(texts: readonly string[]): string[][] {
  const db = openSqlite();
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, content='', tokenize='unicode61 remove_diacritics 1');
           CREATE VIRTUAL TABLE v USING fts5vocab(t, 'instance')`);
  const insert = db.prepare('INSERT INTO t(rowid, x) VALUES (?, CAST(? AS TEXT))');
  // As bytes: the package ends a string at its first NUL.
  inTransaction(db, () => {
    for (const [row, text] of texts.entries()) insert.run([row, Buffer.from(text)]);
  });
  const terms: string[][] = texts.map(() => []);
  const instances = rowsOf<{ doc: number; term: string; at: number }>(
    db,
    'SELECT doc, term, "offset" AS at FROM v',
  );
  for (const { doc, term, at } of instances) {
    (terms[doc] as string[])[at] = term;
  }
  db.close();
  return terms;
}

describe('tokenizer', () => {
  it('has the same terms as unicode61 for every code point, alone and inside a word', () => {
    const texts: string[] = [];
    for (let first = 0; first < 0x110000; first += 64) {
      let text = '';
      for (let code = first; code < first + 64; code++) {
        const char = String.fromCodePoint(code);
        text += ` ${char} x${char}y`;
      }
      texts.push(text);
    }
    const expected = sqliteTerms(texts);
    const wrong = texts.flatMap((text, i) =>
      JSON.stringify(termsOf(text)) === JSON.stringify(expected[i]) ? [] : [(i * 64).toString(16)],
    );
    expect(wrong).toEqual([]);
  });

  it.each([
    ['lone surrogates', 'a\ud800b \udc00c d\ud83d'],
    ['NUL', 'a\0b'],
    ['combining marks', 'e\u0301te\u0301 \u0301a A\u030angstro\u0308m'],
    [
      'words beyond the byte limit',
      `${'x'.repeat(40_000)} ${'x'.repeat(40_001)} ${'é'.repeat(40_000)}`,
    ],
  ])('has the same terms for %s', (_, text) => {
    expect(termsOf(text)).toEqual(sqliteTerms([text])[0]);
  });

  it('returns the offsets in the text', () => {
    const seen: [string, string][] = [];
    const text = 'Ångström, 𐐀bc—ok';
    tokenize(text, (term, start, end) => seen.push([term, text.slice(start, end)]));
    expect(seen).toEqual([
      ['angstrom', 'Ångström'],
      ['𐐨bc', '𐐀bc'],
      ['ok', 'ok'],
    ]);
  });
});
