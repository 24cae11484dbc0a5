/** What an error of the API means for a conversation, in words. */
import { expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { asConversationError, lostRunError } from '../../src/research/research-errors.js';

it('asks for the network if the request was not sent, and does not speak of a charge', () => {
  const given = new AppError('PROVIDER', 'Down.', { details: { outcome: 'not_sent' } });
  const error = asConversationError(given, undefined) as AppError;
  expect(error.hint).toContain('network');
  expect(error.message).not.toContain('charge');
  const unsure = new AppError('PROVIDER', 'Down.', { details: { outcome: 'unknown' } });
  expect((asConversationError(unsure, undefined) as AppError).message).toContain('charge');
});

it('has one full stop after the reason of a lost run', () => {
  const job = { reason: 'It broke.', query: 'why?' } as never;
  expect(lostRunError('id', job).message).toContain('not known (It broke). Perplexity');
});
