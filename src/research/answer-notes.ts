/**
 * The notes beside an answer: where the backend behaves in another way, what the answer does not have, and
 * whether it ended too early.
 */
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';

export interface AnswerOptions {
  readonly relatedQuestions: boolean;
  readonly showThinking: boolean;
}

export function notesFor(
  prepared: readonly string[],
  answer: PerplexityAnswer,
  options: AnswerOptions,
  hasThinking: boolean,
): string[] {
  const notes = [...prepared];
  if (options.relatedQuestions && answer.relatedQuestions.length === 0) {
    notes.push('Related questions were requested, but Perplexity sent none.');
  }
  if (options.showThinking && !hasThinking) {
    notes.push('showThinking has no effect: the Agent API returns no reasoning.');
  } else if (options.showThinking && answer.thinking === undefined) {
    notes.push('showThinking has no effect: this answer has no reasoning.');
  }
  if (answer.incomplete !== undefined) {
    notes.push(`The answer is incomplete. Reason given by Perplexity: ${answer.incomplete}.`);
  }
  return notes;
}

/** A note on what was removed from the question before it was sent, such as `GITHUB_TOKEN`. */
export function notesOnMasked(masked: readonly string[]): string[] {
  if (masked.length === 0) return [];
  const kinds = [...new Set(masked)].join(', ');
  return [
    `Parts of the question (${kinds}) were neither sent nor stored. A mark replaces each of them.`,
  ];
}

/** The answer for the caller: with thinking only if it was requested. */
export function answerForCaller(
  answer: PerplexityAnswer,
  options: AnswerOptions,
): PerplexityAnswer {
  if (options.showThinking) return answer;
  const { thinking: _hidden, ...rest } = answer;
  return rest;
}
