/**
 * The remarks that go with an answer: where the backend did something else than was asked,
 * where something asked for did not come, and where the text ends early.
 */
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';

export interface Wishes {
  readonly relatedQuestions: boolean;
  readonly showThinking: boolean;
}

export function notesFor(
  prepared: readonly string[],
  answer: PerplexityAnswer,
  wishes: Wishes,
  hasThinking: boolean,
): string[] {
  const notes = [...prepared];
  if (wishes.relatedQuestions && answer.relatedQuestions.length === 0) {
    notes.push('Related questions were asked for, but none came.');
  }
  if (wishes.showThinking && !hasThinking) {
    notes.push('showThinking: not available, the Agent API shows no reasoning.');
  } else if (wishes.showThinking && answer.thinking === undefined) {
    notes.push('showThinking: this answer came without reasoning.');
  }
  if (answer.incomplete !== undefined) {
    notes.push(`The answer ends early; Perplexity gave as reason ${answer.incomplete}.`);
  }
  return notes;
}

/** The answer as it is handed out: reasoning only where it was asked for. */
export function asShown(answer: PerplexityAnswer, wishes: Wishes): PerplexityAnswer {
  if (wishes.showThinking) return answer;
  const { thinking: _hidden, ...rest } = answer;
  return rest;
}
