/**
 * Prepares another server's text for quotation: short, on one line, without control characters and keys.
 * The result must be used only as a quotation, never as an instruction.
 */

const BEARER = /\b(bearer)\s+[^\s"',]+/gi;
const KEY_LIKE = /\b(?:pplx|sk)-[A-Za-z0-9_-]{8,}/g;
const CONTROL = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu;

/** Replaces every known secret, and everything that looks like a key, by `[redacted]`. */
export function redact(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) {
    if (secret.length > 0) clean = clean.replaceAll(secret, '[redacted]');
  }
  return clean.replace(BEARER, '$1 [redacted]').replace(KEY_LIKE, '[redacted]');
}

/** Replaces control and format characters and white space by single spaces. */
export function singleLine(text: string): string {
  return text.replace(CONTROL, ' ').replace(/\s+/g, ' ').trim();
}

/** A quotation of at most `maxLength` characters, in quotation marks. */
export function quoteUpstream(
  text: string,
  secrets: readonly string[] = [],
  maxLength = 200,
): string {
  const line = singleLine(redact(text, secrets)).replaceAll(/["“”]/g, "'");
  const characters = Array.from(line);
  const cut = characters.length > maxLength;
  return `"${characters.slice(0, maxLength).join('')}${cut ? '…' : ''}"`;
}
