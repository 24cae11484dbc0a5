/**
 * Older transcripts of Cursor's command line, `agent-transcripts/<id>.txt`. A message begins with `user:`
 * or `assistant:` on a line of its own. In a message of the assistant, `[Thinking]`, `[Tool call] <name>`
 * and `[Tool result] <name>` begin a block of indented lines.
 */
import type { TurnBuilder } from '../../reading/messages/turns.js';
import { typedText } from './cursor-cli-text.js';

const SPEAKER = /^(user|assistant):\s*$/;
const MARKER = /^\[(Thinking|Tool call|Tool result)\][ \t]*(.*)$/;

/** A query that holds no other one. */
const QUERY = /<user_query>(?:(?!<user_query>)[\s\S])*?<\/user_query>/g;

/** Whether the text begins like such a transcript. */
export const isPlainTranscript = (text: string): boolean => /^\s*(user|assistant):\s*\n/.test(text);

/** Returns false, and adds nothing, if the text does not begin like such a transcript. */
export function addPlainTranscript(turns: TurnBuilder, text: string): boolean {
  if (!isPlainTranscript(text)) return false;
  let role = '';
  let block: string[] = [];
  const end = () => {
    if (role === 'user') {
      turns.addMessage({ role, content: typedText(turns, block.join('\n').trim()) });
    } else if (role === 'assistant') addAnswer(turns, block);
    block = [];
  };
  for (const { line, isInQuery } of linesOf(text)) {
    const speaker = isInQuery ? undefined : SPEAKER.exec(line)?.[1];
    if (speaker === undefined) block.push(line);
    else {
      end();
      role = speaker;
    }
  }
  end();
  return true;
}

/** The user may type a line such as `user:`. */
function* linesOf(text: string): Generator<{ line: string; isInQuery: boolean }> {
  const queries = [...text.matchAll(QUERY)].map(({ index, 0: { length } }) => ({
    start: index,
    end: index + length,
  }));
  let at = 0;
  let next = 0;
  for (const line of text.split('\n')) {
    while (next < queries.length && (queries[next]?.end ?? 0) <= at) next += 1;
    yield { line: line.replace(/\r$/, ''), isInQuery: (queries[next]?.start ?? at) < at };
    at += line.length + 1;
  }
}

function addAnswer(turns: TurnBuilder, lines: readonly string[]): void {
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
    if (kind === 'Thinking') turns.addThinking(`${rest}\n${body}`.trim());
    else if (kind === 'Tool call') turns.addToolCall({ name, input: body });
    else turns.addToolResult({ name, text: body });
  }
  turns.addMessage({ role: 'assistant', content: spoken.join('\n').trim() });
}
