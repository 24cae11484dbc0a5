/** The messages and hints of errors of research. */
import { expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { asConversationError, lostRunError } from '../../src/research/research-errors.js';

it('the error of a request that was not sent has a hint to the network, and no word of a charge', () => {
  const given = new AppError('PROVIDER', 'Down.', { details: { outcome: 'not_sent' } });
  const error = asConversationError(given, undefined) as AppError;
  expect(error.hint).toContain('network');
  expect(error.message).not.toContain('charge');
  const unsure = new AppError('PROVIDER', 'Down.', { details: { outcome: 'unknown' } });
  expect((asConversationError(unsure, undefined) as AppError).message).toContain('charge');
});

it('the error of a certificate that this machine does not accept names the setting for it', () => {
  const message = 'api.perplexity.ai could not be reached (SELF_SIGNED_CERT_IN_CHAIN).';
  const given = new AppError('PROVIDER', message, { details: { outcome: 'not_sent' } });
  expect((asConversationError(given, undefined) as AppError).hint).toContain('NODE_EXTRA_CA_CERTS');
});

it('the error of a request that took too long names the setting of its time limit', () => {
  const given = new AppError('TIMEOUT', 'Too late.', { details: { outcome: 'unknown' } });
  expect((asConversationError(given, undefined) as AppError).hint).toContain(
    'PERPLEXITY_TIMEOUT_MS',
  );
});

it('the error of a lost run has one full stop after the reason', () => {
  const job = { reason: 'It broke.', query: 'why?' } as never;
  expect(lostRunError('id', job).message).toContain('not known (It broke). Perplexity');
});
