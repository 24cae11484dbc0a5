/** A local server of embeddings in the OpenAI format. The vector of a text shows which subjects the text has. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** The subjects that a text can have. */
const SUBJECTS = [
  /larch|board|wood/i,
  /tomato|lettuce|plant/i,
  /server|disk|cpu/i,
  /rain|sun|frost/i,
];
const vectorOf = (text: string, width: number) => [
  ...SUBJECTS.map((subject) => (subject.test(text) ? 1 : 0)),
  0.1,
  ...new Array<number>(width - SUBJECTS.length - 1).fill(0),
];

export interface EmbeddingsStandIn {
  readonly url: string;
  readonly texts: string[];
  requests: number;
  /** After as many texts, the server is silent until this number is higher. */
  most: number;
  mood: 'well' | 'busy' | 'short' | 'silent' | 'limited';
  /** The server refuses a longer text, an empty one, and one with half a surrogate pair. */
  longest: number;
  /** How it refuses a longer text. */
  tooLong: { status: number; error: unknown };
  /** Numbers in a vector. */
  width: number;
  /** Each number of a vector is this many times as large. */
  factor: number;
}

export async function startEmbeddings(): Promise<EmbeddingsStandIn> {
  const api: EmbeddingsStandIn = {
    url: '',
    texts: [],
    requests: 0,
    most: Number.POSITIVE_INFINITY,
    mood: 'well',
    longest: Number.POSITIVE_INFINITY,
    tooLong: { status: 400, error: 'the input length exceeds the context length' },
    width: SUBJECTS.length + 1,
    factor: 1,
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', async () => {
      api.requests += 1;
      const { input, model } = JSON.parse(Buffer.concat(chunks).toString()) as {
        input: string[];
        model: string;
      };
      const answer = (status: number, body: unknown) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      };
      if (request.url !== '/v1/embeddings')
        return answer(404, { error: { message: 'no such path' } });
      if (!model.startsWith('m')) return answer(404, { error: { message: 'no such model' } });
      const isSilent = () => api.mood === 'silent' || api.texts.length >= api.most;
      while (isSilent() && !response.destroyed) await sleep(5);
      if (response.destroyed) return;
      if (api.mood === 'limited') {
        response.setHeader('retry-after', '3600');
        return answer(429, { error: { message: 'Rate limit reached' } });
      }
      if (api.mood === 'busy') return answer(500, { error: { message: 'out of memory' } });
      if (input.some((text) => text === '' || !text.isWellFormed()))
        return answer(400, { error: { message: "'$.input' is invalid." } });
      if (input.some((text) => text.length > api.longest))
        return answer(api.tooLong.status, { error: api.tooLong.error });
      api.texts.push(...input);
      const data = input.map((text, index) => ({
        object: 'embedding',
        index,
        embedding: vectorOf(text, api.width).map((number) => number * api.factor),
      }));
      return answer(200, {
        object: 'list',
        data: api.mood === 'short' ? data.slice(1) : data.toReversed(),
        model,
      });
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return Object.assign(api, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
  });
}
