/**
 * A local stand-in for Perplexity over node:http. It has runs, refuses what the real API refuses, misbehaves
 * as a test demands (once for each `next`), and counts all creates that it carried out, because each of them
 * would cost money. It keeps all requests for assertions.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Refused, refuseAgent, refuseChat } from './perplexity-rules.js';

const UNKNOWN_RUN: Refused = { status: 404, type: 'not_found', message: 'unknown run' };

type Json = Record<string, unknown>;

interface Received {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: Json;
}

interface Reply {
  text: string;
  results?: Json[];
  related?: string[];
  thinking?: string;
}

/** One misbehaviour; the next request that it fits uses it up. */
type Behaviour =
  | {
      on: 'create' | 'poll';
      kind: 'status';
      status: number;
      headers?: Record<string, string>;
      body: Json | string;
    }
  /** The connection breaks before anything was done, or after the run was created (and is billed). */
  | { on: 'create' | 'poll'; kind: 'drop'; afterAccept: boolean }
  /** The request is carried out, and the answer is delayed. */
  | { on: 'create'; kind: 'held'; until: Promise<unknown> }
  /** HTTP 200 with a run that has this status (`starting` is none of the known ones). */
  | {
      on: 'create';
      kind: 'ends';
      status:
        | 'failed'
        | 'incomplete'
        | 'cancelled'
        | 'requires_action'
        | 'starting'
        | 'in_progress';
      message: string;
    };

export interface StandInOptions {
  key?: string;
  /** Speaks the old chat-completions format, as gateways do. */
  gateway?: boolean;
  /** Answers a wrong key with an HTML page, as the real network edge does. */
  htmlOn401?: boolean;
  /** How often a run is `queued` and `in_progress` before it is completed. */
  pollsUntilDone?: number;
}

interface Run {
  id: string;
  status: string;
  polls: number;
  reply: Reply;
  model: string;
  error?: string;
}

export interface StandIn {
  readonly url: string;
  /** The settings of a server that uses this stand-in. */
  readonly env: Readonly<Record<'PERPLEXITY_API_KEY' | 'PERPLEXITY_BASE_URL', string>>;
  readonly received: Received[];
  /** Number of creates that were carried out. */
  readonly creates: number;
  readonly runs: ReadonlyMap<string, { status: string; polls: number }>;
  next(behaviour: Behaviour): void;
  /** The answer of the next creates; by default a text that contains the question. */
  reply: ((body: Json) => Reply) | undefined;
  pollsUntilDone: number;
  key: string;
  /** Bodies of all creates that arrived, also of refused ones. */
  created(): Json[];
  close(): Promise<void>;
}

const RETIRED = /^\/(v1\/)?(async\/)?(chat\/completions|sonar)/;
const USAGE = {
  input_tokens: 120,
  output_tokens: 80,
  total_tokens: 200,
  input_tokens_details: { cache_read_input_tokens: 20 },
  output_tokens_details: { reasoning_tokens: 30 },
  tool_calls_details: { web_search: { invocation: 2, cost_usd: 0.01 } },
  cost: { currency: 'USD', input_cost: 0.001, output_cost: 0.002, total_cost: 0.013 },
};
const CHAT_USAGE = {
  prompt_tokens: 120,
  completion_tokens: 80,
  total_tokens: 200,
  citation_tokens: 11,
  num_search_queries: 3,
  reasoning_tokens: 30,
  cost: { input_tokens_cost: 0.001, output_tokens_cost: 0.002, total_cost: 0.013 },
};
const RESULTS: Json[] = [
  { id: 1, url: 'https://example.org/a', title: 'Page A', snippet: 'About A', date: '2026-01-02' },
  {
    id: 2,
    url: 'https://example.org/b',
    title: 'Page B',
    snippet: 'About B',
    last_updated: '2026-02-03',
  },
];

export async function startStandIn(options: StandInOptions = {}): Promise<StandIn> {
  const server = new Server(options);
  await server.listen();
  return server;
}

class Server implements StandIn {
  readonly received: Received[] = [];
  readonly runs = new Map<string, Run>();
  creates = 0;
  reply: StandIn['reply'];
  pollsUntilDone: number;
  key: string;
  #options: StandInOptions;
  #behaviours: Behaviour[] = [];
  #http = createServer((request, response) => void this.#serve(request, response));
  url = '';

  constructor(options: StandInOptions) {
    this.#options = options;
    this.pollsUntilDone = options.pollsUntilDone ?? 2;
    this.key = options.key ?? 'pplx-test-key-0123456789';
  }

  get env(): StandIn['env'] {
    return { PERPLEXITY_API_KEY: this.key, PERPLEXITY_BASE_URL: this.url };
  }

  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#http.listen(0, '127.0.0.1', () => {
        this.url = `http://127.0.0.1:${(this.#http.address() as AddressInfo).port}`;
        resolve();
      });
    });
  }

  close(): Promise<void> {
    this.#http.closeAllConnections();
    return new Promise((resolve) => this.#http.close(() => resolve()));
  }

  next(behaviour: Behaviour): void {
    this.#behaviours.push(behaviour);
  }

  created(): Json[] {
    return this.received
      .filter((r) => r.method === 'POST' && !r.path.endsWith('/cancel'))
      .map((r) => r.body);
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const path = new URL(request.url ?? '/', 'http://x').pathname;
    const body = (text === '' ? {} : JSON.parse(text)) as Json;
    this.received.push({ method: request.method ?? '', path, headers: request.headers, body });
    const refused = this.#refuseAccess(request, path);
    if (refused) return this.#sendRefusal(response, refused);
    const cancel = /^\/v1\/(?:agent|responses)\/([^/]+)\/cancel$/.exec(path);
    if (cancel) return this.#cancel(response, cancel[1] ?? '');
    if (request.method === 'POST') return this.#create(response, path, body);
    const poll = /^\/v1\/(?:agent|responses)\/([^/]+)$/.exec(path);
    if (poll) return this.#poll(response, poll[1] ?? '');
    return this.#sendRefusal(response, { status: 404, type: 'not_found', message: 'no such path' });
  }

  #refuseAccess(request: IncomingMessage, path: string): Refused | undefined {
    if (request.headers.authorization !== `Bearer ${this.key}`) {
      return {
        status: 401,
        type: 'invalid_api_key',
        message: `Invalid API key ${request.headers.authorization}`,
      };
    }
    if (RETIRED.test(path) && !this.#options.gateway) {
      return {
        status: 403,
        type: 'chat_completions_not_available',
        message: 'Sonar is now the Agent API. See the migration guide.',
      };
    }
    return undefined;
  }

  async #create(response: ServerResponse, path: string, body: Json): Promise<void> {
    const isChat = RETIRED.test(path);
    const refused = isChat
      ? refuseChat(body)
      : /^\/v1\/(agent|responses)$/.test(path)
        ? refuseAgent(body)
        : { status: 404, type: 'not_found', message: 'no such path' };
    if (refused) return this.#sendRefusal(response, refused);
    const odd = this.#take('create');
    if (odd?.kind === 'status') return sendStatus(response, odd);
    if (odd?.kind === 'drop' && !odd.afterAccept) return void response.destroy();
    const run = this.#newRun(body, isChat);
    if (odd?.kind === 'ends') Object.assign(run, { status: odd.status, error: odd.message });
    if (odd?.kind === 'drop') return void response.destroy();
    if (odd?.kind === 'held') await odd.until;
    if (isChat) return send(response, 200, chatBody(run));
    if (body['stream'] === true) return sendStream(response, run);
    if (body['background'] !== true && run.status === 'queued') run.status = 'completed';
    send(response, 200, agentBody(run, body['background'] === true));
  }

  #newRun(body: Json, isChat: boolean): Run {
    this.creates += 1;
    const turns = (isChat ? body['messages'] : body['input']) as Json[] | string;
    const question = typeof turns === 'string' ? turns : String(turns.at(-1)?.['content']);
    const reply = this.reply?.(body) ?? {
      text: `Answer ${this.creates} to: ${question} [1]`,
      results: RESULTS,
    };
    const model = isChat
      ? String(body['model'])
      : String(body['model'] ?? `preset/${body['preset']}`);
    const run: Run = { id: `resp_${this.creates}`, status: 'queued', polls: 0, reply, model };
    this.runs.set(run.id, run);
    return run;
  }

  async #poll(response: ServerResponse, id: string): Promise<void> {
    const odd = this.#take('poll');
    if (odd?.kind === 'status') return sendStatus(response, odd);
    if (odd?.kind === 'drop') return void response.destroy();
    const run = this.runs.get(id);
    if (!run) return this.#sendRefusal(response, UNKNOWN_RUN);
    run.polls += 1;
    if (run.status === 'queued' || run.status === 'in_progress') {
      run.status = run.polls >= this.pollsUntilDone ? 'completed' : 'in_progress';
    }
    send(response, 200, agentBody(run, true));
  }

  #cancel(response: ServerResponse, id: string): undefined {
    const run = this.runs.get(id);
    if (!run) return this.#sendRefusal(response, UNKNOWN_RUN);
    if (run.status !== 'queued' && run.status !== 'in_progress') {
      return this.#sendRefusal(response, {
        status: 400,
        type: 'invalid_request',
        message: 'already ended',
      });
    }
    run.status = 'cancelled';
    send(response, 200, { response_id: id, status: 'cancelling' });
    return undefined;
  }

  #sendRefusal(response: ServerResponse, refused: Refused): undefined {
    if (refused.status === 401 && this.#options.htmlOn401) {
      response.writeHead(401, { 'content-type': 'text/html' });
      response.end('<html><body><h1>401 Authorization Required</h1></body></html>');
      return undefined;
    }
    const { status, ...error } = refused;
    send(response, status, { error: { ...error, code: status } });
    return undefined;
  }

  #take(on: Behaviour['on']): Behaviour | undefined {
    const at = this.#behaviours.findIndex((behaviour) => behaviour.on === on);
    return at === -1 ? undefined : this.#behaviours.splice(at, 1)[0];
  }
}

function send(response: ServerResponse, status: number, body: Json): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function sendStatus(response: ServerResponse, odd: Extract<Behaviour, { kind: 'status' }>): void {
  response.writeHead(odd.status, odd.headers);
  response.end(typeof odd.body === 'string' ? odd.body : JSON.stringify(odd.body));
}

function textOf(run: Run): string {
  const { text, related } = run.reply;
  return related
    ? `${text}\n\n=== RELATED QUESTIONS ===\n${related.map((q) => `- ${q}`).join('\n')}`
    : text;
}

function agentBody(run: Run, background: boolean): Json {
  const hasEnded = run.status === 'completed' || run.status === 'incomplete';
  return {
    id: run.id,
    object: 'response',
    created_at: 1_790_000_000,
    status: run.status,
    model: run.model,
    background,
    error: run.error && !hasEnded ? { message: run.error, type: 'server_error' } : null,
    ...(run.status === 'incomplete' ? { incomplete_details: { reason: run.error } } : {}),
    output: hasEnded
      ? [
          { type: 'search_results', queries: ['q'], results: run.reply.results ?? RESULTS },
          { type: 'unknown', item_name: 'novelty', payload: {} },
          {
            type: 'message',
            id: `msg_${run.id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: textOf(run), annotations: [] }],
          },
        ]
      : [],
    usage: hasEnded ? USAGE : null,
  };
}

function chatBody(run: Run): Json {
  const { text, thinking, related, results = RESULTS } = run.reply;
  const content = thinking === undefined ? text : `<think>\n${thinking}\n</think>\n\n${text}`;
  return {
    id: run.id,
    model: run.model,
    created: 1_790_000_000,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        finish_reason: run.status === 'incomplete' ? 'length' : 'stop',
        message: { role: 'assistant', content },
        delta: {},
      },
    ],
    citations: results.map((result) => result['url']),
    search_results: results.map(({ id: _id, ...result }) => result),
    related_questions: related ?? null,
    usage: CHAT_USAGE,
  };
}

/** Sends only `data:` lines: the Agent API sends neither event names nor a final `[DONE]`. */
function sendStream(response: ServerResponse, run: Run): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const started = agentBody({ ...run, status: 'in_progress' }, false);
  run.status = 'completed';
  const events: Json[] = [
    { type: 'response.created', response: started },
    { type: 'response.output_text.delta', delta: textOf(run), output_index: 1, content_index: 0 },
    { type: 'response.completed', response: agentBody(run, false) },
  ];
  events.forEach((event, index) => {
    response.write(`data: ${JSON.stringify({ ...event, sequence_number: index })}\n\n`);
  });
  response.end();
}
