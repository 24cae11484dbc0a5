/**
 * Older transcripts of Cursor's command line, `agent-transcripts/<id>.txt`: `user:` or `assistant:` on a
 * line of its own begins a message. In those of the assistant, `[Thinking]`, `[Tool call] <name>` and
 * `[Tool result] <name>` stand before lines that are indented.
 */
import type { Turns } from '../reading/turns.js';
import { typedIn } from './cursor-text.js';

const SPEAKER = /^(user|assistant):\s*$/;
const MARKER = /^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$/;

/** The beginning of a text is that of such a transcript. */
export const isPlainTranscript = (text: string): boolean => /^\s*(user|assistant):\s*\n/.test(text);

/** False where the text does not begin as a transcript does: then nothing is added. */
export function addPlainTranscript(turns: Turns, text: string): boolean {
  if (!isPlainTranscript(text)) return false;
  let role = '';
  let block: string[] = [];
  const end = () => {
    if (role === 'user') {
      turns.say({ role, content: typedIn(turns, block.join('\n').trim()) });
    } else if (role === 'assistant') addAnswer(turns, block);
    block = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const speaker = SPEAKER.exec(line)?.[1];
    if (speaker === undefined) block.push(line);
    else {
      end();
      role = speaker;
    }
  }
  end();
  return true;
}

function addAnswer(turns: Turns, lines: readonly string[]): void {
  const spoken: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    at += 1;
    const [, kind, rest = ''] = MARKER.exec(line) ?? [];
    if (kind === undefined) {
      spoken.push(line);
      continue;
    }
    const start = at;
    while (at < lines.length && /^(\s|$)/.test(lines[at] ?? '')) at += 1;
    const body = lines.slice(start, at).join('\n').trim();
    const name = rest.trim() === '' ? 'tool' : rest.trim();
    if (kind === 'Thinking') turns.think(`${rest}\n${body}`.trim());
    else if (kind === 'Tool call') turns.call({ name, input: body });
    else turns.result({ name, text: body });
  }
  turns.say({ role: 'assistant', content: spoken.join('\n').trim() });
}
