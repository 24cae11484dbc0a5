/** Chats of VS Code: logs of changes, older documents and exports, and copies in several folders. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { findDefaultLocations } from '../../src/import/tool-logs/default-locations.js';
import { folderWith, lines, openImportBench, said } from './bench.js';

const ID = '0b9a6c1e-1111-4222-8333-444455556666';
const NAME = `workspaceStorage/f00/chatSessions/${ID}.jsonl`;
const AT = Date.UTC(2026, 1, 3, 10);
const whole = (more: object = {}) => ({
  kind: 0,
  v: { version: 3, sessionId: ID, creationDate: AT, requests: [], ...more },
});
const request = (n: number, text: string, more: object = {}) => ({
  requestId: `request_${n}`,
  responseId: `response_${n}`,
  timestamp: AT + n * 60_000,
  message: { text, parts: [{ kind: 'text', text }] },
  variableData: { variables: [] },
  response: [],
  ...more,
});
const add = (...requests: object[]) => ({ kind: 2, k: ['requests'], v: requests });
const answer = (n: number, ...parts: unknown[]) => ({
  kind: 2,
  k: ['requests', n, 'response'],
  v: parts,
});
const set = (k: unknown, v?: unknown) => ({ kind: 1, k, v });
const says = (value: string) => ({ value, isTrusted: false, supportThemeIcons: false });

it('a log of changes is read, with the folder, the model, thinking and calls of tools', async () => {
  const bench = await openImportBench();
  const folder = folderWith({
    'workspaceStorage/f00/workspace.json': '{ "folder": "file:///home/ada/shed%20one" }',
    [NAME]: lines(
      whole({ repoData: { localBranch: 'main', remoteUrl: 'https://git.example/shed' } }),
      set(['customTitle'], 'The shed'),
      add(
        request(0, 'Build #file:a.ts', {
          modelId: 'copilot/gpt-5',
          variableData: {
            variables: [
              { kind: 'file', name: 'file:a.ts', range: { start: 6, endExclusive: 16 } },
              { kind: 'image', name: 'plan.png' },
              { kind: 'implicit', name: 'open.ts' },
            ],
          },
        }),
      ),
      answer(
        0,
        { kind: 'thinking', value: 'First look.' },
        says('I read '),
        { kind: 'inlineReference', inlineReference: { path: '/home/ada/shed/a.ts' } },
        says('.'),
        {
          kind: 'toolInvocationSerialized',
          toolId: 'run_in_terminal',
          toolSpecificData: { kind: 'terminal', commandLine: { original: 'ls' } },
          resultDetails: { output: [{ value: 'boards' }] },
        },
        says('Now I write:\n```\n'),
        { kind: 'codeblockUri', uri: { path: '/home/ada/shed/a.ts' } },
        { kind: 'textEditGroup', uri: { path: '/home/ada/shed/a.ts' }, edits: [[]] },
        says('\n```\nDone. 完了'),
      ),
      set(['requests', 0, 'modelState'], { value: 1, completedAt: AT + 5000 }),
      set(['requests', 0, 'promptTokens'], 7),
      { kind: 3, k: ['requests', 0, 'followups'] },
      { kind: 9, k: ['requests'] },
    ),
  });
  const report = await bench.import(folder);
  expect(report).toMatchObject({
    sources: [{ kind: 'vscode' }],
    added: 1,
    problems: [{ record: 'line 8', code: 'CORRUPT' }],
  });
  const chat = bench.bySource(ID);
  expect(said(chat)).toEqual([
    'user: Build #file:a.ts\n\n[image: plan.png]',
    'assistant: I read `a.ts`.\n\nNow I write:\n\nDone. 完了',
  ]);
  expect(chat).toMatchObject({
    title: 'The shed',
    module: 'shed one',
    createdAt: '2026-02-03T10:00:00.000Z',
    metadata: {
      cwd: '/home/ada/shed one',
      gitBranch: 'main',
      gitRemote: 'https://git.example/shed',
    },
  });
  expect(chat.messages[1]).toMatchObject({ createdAt: '2026-02-03T10:00:05.000Z' });
  expect(chat.messages[1].metadata).toEqual({
    model: 'copilot/gpt-5',
    usage: { inputTokens: 7 },
    thinking: 'First look.',
    tools: [
      { name: 'run_in_terminal', input: 'ls', result: 'boards' },
      { name: 'edit', input: '/home/ada/shed/a.ts' },
    ],
  });
});

it('a growing log adds messages, and what was taken back or failed is counted', async () => {
  const bench = await openImportBench();
  const first = [whole(), add(request(0, 'One?')), answer(0, says('1'))];
  const folder = folderWith({ [NAME]: lines(...first) });
  await bench.import(folder);
  const failed = { result: { errorDetails: { message: 'No network' } } };
  const later = [
    answer(0, says('!')),
    add(request(1, 'Wrong', { shouldBeRemovedOnSend: { requestId: 'request_1' } })),
    add(request(2, 'Two?', { shouldBeRemovedOnSend: { requestId: 'x', afterUndoStop: 'y' } })),
    answer(2, says('2')),
    add(request(3, 'Three?', failed)),
  ];
  writeFileSync(join(folder, NAME), lines(...first, ...later));
  const report = await bench.import(folder);
  expect(report).toMatchObject({ added: 0, updated: 1, problems: [] });
  expect(report.leftOut).toEqual({
    'messages that the user took back': 1,
    'messages of the program': 1,
  });
  const talk = ['user: One?', 'assistant: 1!', 'user: Two?', 'assistant: 2', 'user: Three?'];
  expect(said(bench.bySource(ID))).toEqual(talk);
  // VS Code replaces the log by a new one now and then, and cuts lists.
  const cut = { kind: 2, k: ['requests'], i: 1, v: [request(4, 'Four?')] };
  const requests = [request(0, 'One?', { response: [says('1!')] }), request(9, 'Gone')];
  writeFileSync(join(folder, NAME), lines(whole({ requests }), cut));
  await bench.import(folder);
  const before = bench.hash();
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 0, messages: 0 });
  expect(bench.hash()).toBe(before);
  const all = bench.folders().flatMap((name) => said(bench.jsonOf(name)));
  expect(all).toContain('user: Four?');
  expect(all).not.toContain('user: Gone');
  for (const text of talk) expect(all).toContain(text);
});

it('older documents and exports are read, and an export without an id only once', async () => {
  const bench = await openImportBench();
  const old = {
    version: 2,
    sessionId: 'old',
    computedTitle: 'Old',
    creationDate: AT,
    requests: [
      {
        message: 'Why?',
        response: ['Because.', { content: { value: ' Yes.' }, kind: 'markdownVuln' }],
      },
    ],
  };
  expect(await bench.importText(old)).toMatchObject({ added: 1, problems: [] });
  expect(bench.bySource('old')).toMatchObject({ title: 'Old' });
  expect(said(bench.bySource('old'))).toEqual(['user: Why?', 'assistant: Because. Yes.']);
  const exported = {
    responderUsername: 'GitHub Copilot',
    requests: [request(0, 'Who?', { response: [says('Ada')] })],
  };
  const text = JSON.stringify(exported, null, 2);
  expect(await bench.importText(text)).toMatchObject({ added: 1, problems: [] });
  expect(await bench.importText(text, 'again.json')).toMatchObject({ added: 0, unchanged: 1 });
  expect(said(bench.bySource('request_0'))).toEqual(['user: Who?', 'assistant: Ada']);
});

it('a request that VS Code made by itself has only its answer', async () => {
  const bench = await openImportBench();
  const requests = [
    request(0, 'Build', { response: [says('It runs.')] }),
    request(1, '[Terminal done: 0]', { isSystemInitiated: true, response: [says('It ended.')] }),
  ];
  const report = await bench.import(folderWith({ [NAME]: lines(whole({ requests })) }));
  expect(report.leftOut).toEqual({ 'injected context': 1 });
  const talk = ['user: Build', 'assistant: It runs.', 'assistant: It ended.'];
  expect(said(bench.bySource(ID))).toEqual(talk);
});

it('a prompt that replaces another one is imported, although its answer has only a call of a tool', async () => {
  const bench = await openImportBench();
  const call = { kind: 'toolInvocationSerialized', toolId: 'ls', invocationMessage: 'Look' };
  const one = request(1, 'One?', { response: [says('1')] });
  const folder = folderWith({ [NAME]: lines(whole({ requests: [one] })) });
  await bench.import(folder);
  const two = request(2, 'Two?', { response: [call], timestamp: AT });
  writeFileSync(join(folder, NAME), lines(whole({ requests: [two] })));
  expect(await bench.import(folder)).toMatchObject({ problems: [], messages: 1 });
  const all = bench.folders().flatMap((name) => said(bench.jsonOf(name)));
  expect(all).toEqual(['user: One?', 'assistant: 1', 'user: Two?']);
});

it('of several copies of a session the newest is read', async () => {
  const bench = await openImportBench();
  const talk = (...texts: string[]) =>
    lines(
      whole({ requests: texts.map((text, n) => request(n, text, { response: [says('Ok')] })) }),
    );
  const copies = [`globalStorage/emptyWindowChatSessions/${ID}.jsonl`, NAME];
  const folder = folderWith({
    [copies[0] as string]: talk('One', 'Two'),
    [copies[1] as string]: talk('One'),
    [NAME.replace(/l$/, '')]: JSON.stringify(whole().v),
  });
  for (const [n, name] of copies.entries()) {
    utimesSync(join(folder, name), AT / 1000 - n, AT / 1000 - n);
  }
  utimesSync(join(folder, NAME.replace(/l$/, '')), 1, 1);
  expect(await bench.import(folder)).toMatchObject({ added: 1, problems: [] });
  const expected = ['user: One', 'assistant: Ok', 'user: Two', 'assistant: Ok'];
  expect(said(bench.bySource(ID))).toEqual(expected);
  expect(await bench.import(join(folder, 'globalStorage/emptyWindowChatSessions'))).toMatchObject({
    unchanged: 1,
  });
});

it.each([
  ['{ "folder": "file:///" }', undefined, '/'],
  ['{ "folder": "file:///c%3A/work/shed" }', 'shed', 'c:/work/shed'],
  ['{ "workspace": "file:///home/ada/all.code-workspace" }', undefined, undefined],
  ['{ "folder": 7 }', undefined, undefined],
])('the window %s gives the module %s', async (window, module, cwd) => {
  const bench = await openImportBench();
  const folder = folderWith({
    'workspaceStorage/f00/workspace.json': window,
    [NAME]: lines(whole({ requests: [request(0, 'One?')] })),
  });
  expect(await bench.import(folder)).toMatchObject({ added: 1, problems: [] });
  const chat = bench.bySource(ID);
  expect(chat.module).toBe(module);
  expect(chat.metadata.cwd).toBe(cwd);
});

it('changes that do not fit are reported and change nothing else', async () => {
  const bench = await openImportBench();
  const folder = folderWith({
    [NAME]: lines(
      whole({ requests: [request(0, 'One?', { response: [says('1')] })] }),
      set(['__proto__', 'polluted'], true),
      set(['__proto__'], { requests: [] }),
      set(['constructor', 'prototype', 'polluted'], true),
      set(['requests', 4_000_000_000], request(1, 'No')),
      set(['requests', '0', 'message'], 'No'),
      set([], {}),
      set('requests', []),
      answer(7, says('No')),
    ),
  });
  const report = await bench.import(folder);
  expect(report.problems.map(({ record }) => record)).toEqual(
    [2, 3, 4, 5, 6, 7, 8, 9].map((number) => `line ${number}`),
  );
  expect(said(bench.bySource(ID))).toEqual(['user: One?', 'assistant: 1']);
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('a log that VS Code wrote anew is read, although its first line is very long', async () => {
  const bench = await openImportBench();
  const result = { metadata: { sent: 'x'.repeat(65 * 1024 * 1024) } };
  const requests = [request(0, 'One?', { response: [says('1')], result })];
  const folder = folderWith({ [NAME]: lines(whole({ requests }), add(request(1, 'Two?'))) });
  expect(await bench.import(folder)).toMatchObject({ added: 1, problems: [] });
  expect(said(bench.bySource(ID))).toEqual(['user: One?', 'assistant: 1', 'user: Two?']);
});

it('a log may be larger than the memory', () => {
  const text = 'lorem ipsum '.repeat(80_000);
  const details = { input: 'ls', output: [{ value: text }] };
  const call = { kind: 'toolInvocationSerialized', toolId: 'ls', resultDetails: details };
  const numbers = Array.from({ length: 80 }, (_, n) => n);
  const changes = numbers.flatMap((n) => [
    add(request(n, `Prompt ${n}`)),
    answer(n, call, says(`Answer ${n}`)),
    set(['requests', n, 'result'], { metadata: { sent: text } }),
  ]);
  const folder = folderWith({ [NAME]: lines(whole(), ...changes), 'root/.keep': '' });
  const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
  const limits = ['--max-old-space-size=64', '--max-semi-space-size=2'];
  const args = [
    '--root',
    join(folder, 'root'),
    'import',
    '--yes',
    join(folder, 'workspaceStorage'),
  ];
  const out = execFileSync(process.execPath, [...limits, main, ...args], { encoding: 'utf8' });
  expect(out).toContain('160 messages');
});

it('a log without its first line, and a file without requests, are one problem each', async () => {
  const bench = await openImportBench();
  const log = lines(whole(), add(request(0, 'One?')), answer(0, says('1')));
  const folder = folderWith({
    [NAME]: log,
    'workspaceStorage/z/chatSessions/a.jsonl': log.slice(5),
    'workspaceStorage/z/chatSessions/b.jsonl': log.slice(log.indexOf('\n') + 1),
    'workspaceStorage/z/chatSessions/c.json': { sessionId: 'c' },
    'workspaceStorage/z/chatSessions/d.jsonl': lines({ kind: 0, v: { sessionId: 'd' } }),
  });
  const report = await bench.import(folder);
  expect(report).toMatchObject({ added: 1 });
  expect(report.problems.map(({ path, code }) => [path, code])).toEqual(
    ['a.jsonl', 'b.jsonl', 'c.json', 'd.jsonl'].map((name) => [
      `workspaceStorage/z/chatSessions/${name}`,
      'CORRUPT',
    ]),
  );
});

it('VS Code is found only if it stored chats', async () => {
  const home = folderWith({ 'Code/User/workspaceStorage/f00/workspace.json': '{}' });
  const find = async () =>
    (await findDefaultLocations({ home, programs: home, variable: () => undefined })).map(
      ({ path }) => path,
    );
  expect(await find()).toEqual([]);
  mkdirSync(join(home, 'Code/User/workspaceStorage/f00/chatSessions'));
  mkdirSync(join(home, 'VSCodium/User/globalStorage/emptyWindowChatSessions'), { recursive: true });
  expect(await find()).toEqual([
    join(home, 'Code/User/workspaceStorage'),
    join(home, 'VSCodium/User/globalStorage/emptyWindowChatSessions'),
  ]);
});
