/**
 * The official conformance suite, with the built server over HTTP, and with the same server with fixtures for
 * scenarios that need special tools, resources and prompts. The test counts each check, because some scenarios
 * pass although a tool is missing.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { ordinaryTools } from '../conformance/fixture-tools.js';
import { offerFixtures } from '../conformance/offer-fixtures.js';
import { clientFile } from '../support/client-packages.js';
import { withHttpPlace } from '../support/http-place.js';
import { withPlace } from './harness.js';
import { withHttp } from './http-harness.js';

const SUITE = '@modelcontextprotocol/conformance/dist/index.js';
/** The suite runs on Node 22 and later. */
const isRecent = Number(process.versions.node.split('.')[0]) >= 22;
const [COMMAND = '', ...FIRST] = isRecent
  ? [process.execPath]
  : ['npx', '--yes', '-p', 'node@24', '--', 'node'];

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

/** The checks of each scenario. The suite ends with 1 if one failed; the checks show which one. */
async function checksAgainst(url: string): Promise<Map<string, Check[]>> {
  const folder = await mkdtemp(join(tmpdir(), 'daybook-conformance-'));
  const suite = await clientFile(SUITE);
  const args = [...FIRST, suite, 'server', '--url', url, '--suite', 'all', '-o', folder];
  await promisify(execFile)(COMMAND, args).catch(() => undefined);
  const found = new Map<string, Check[]>();
  for (const name of await readdir(folder)) {
    const scenario = /^server-(.+)-\d{4}-\d{2}-\d{2}T/.exec(name)?.[1] ?? name;
    const text = await readFile(join(folder, name, 'checks.json'), 'utf8');
    found.set(scenario, JSON.parse(text) as Check[]);
  }
  await rm(folder, { recursive: true });
  return found;
}

const failed = (checks: readonly Check[]) =>
  checks.filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO');
const succeeded = (checks: readonly Check[] = []) =>
  checks.filter(({ status }) => status === 'SUCCESS').map(({ id }) => id);

/** The scenarios for Daybook without fixtures. */
const AS_IT_IS = {
  'server-initialize': ['server-initialize'],
  'logging-set-level': ['logging-set-level'],
  ping: ['ping'],
  'tools-list': ['tools-list'],
  'server-sse-multiple-streams': [
    'server-accepts-multiple-post-streams',
    'server-sse-streams-functional',
  ],
  'resources-list': ['resources-list'],
  'prompts-list': ['prompts-list'],
  'dns-rebinding-protection': [
    'localhost-host-rebinding-rejected',
    'localhost-host-valid-accepted',
  ],
};

/** Scenarios of the suite, and how many of their checks must succeed. */
const WITH_FIXTURES = {
  ...Object.fromEntries(Object.entries(AS_IT_IS).map(([name, { length }]) => [name, length])),
  'completion-complete': 1,
  'tools-call-simple-text': 1,
  'tools-call-image': 1,
  'tools-call-audio': 1,
  'tools-call-embedded-resource': 1,
  'tools-call-mixed-content': 1,
  'tools-call-with-logging': 1,
  'tools-call-error': 1,
  'tools-call-with-progress': 1,
  'tools-call-sampling': 1,
  'tools-call-elicitation': 1,
  'json-schema-2020-12': 4,
  'elicitation-sep1034-defaults': 5,
  'elicitation-sep1330-enums': 5,
  'resources-read-text': 1,
  'resources-read-binary': 1,
  'resources-templates-read': 1,
  'resources-subscribe': 1,
  'resources-unsubscribe': 1,
  'prompts-get-simple': 1,
  'prompts-get-with-args': 1,
  'prompts-get-embedded-resource': 1,
  'prompts-get-with-image': 1,
};

/** Daybook does not resume a broken stream, which is optional: clients repeat the call (decision 0016). */
const NOT_OFFERED = 'server-sse-polling';

describe('the conformance suite', () => {
  it('passes with the built server, in all scenarios that need no fixtures', async () => {
    await withPlace((place) =>
      withHttp(place, async ({ url }) => {
        const checks = await checksAgainst(url);
        for (const [scenario, ids] of Object.entries(AS_IT_IS)) {
          expect(failed(checks.get(scenario) ?? []), scenario).toEqual([]);
          expect(succeeded(checks.get(scenario)), scenario).toEqual(ids);
        }
      }),
    );
  });

  it('passes with fixtures, in all scenarios that need special tools, resources or prompts', async () => {
    const options = {
      server: { tools: ordinaryTools },
      change: ({ server }) => offerFixtures(server),
    } satisfies Parameters<typeof withHttpPlace>[0];
    const checks = await withHttpPlace(options, ({ url }) => checksAgainst(url));
    expect([...checks.keys()].sort()).toEqual([...Object.keys(WITH_FIXTURES), NOT_OFFERED].sort());
    for (const [scenario, count] of Object.entries(WITH_FIXTURES)) {
      expect(failed(checks.get(scenario) ?? []), scenario).toEqual([]);
      expect(succeeded(checks.get(scenario)), scenario).toHaveLength(count);
    }
    const missing = failed(checks.get(NOT_OFFERED) ?? []);
    expect(missing.map(({ id, status }) => `${status} ${id}`)).toEqual([
      'WARNING server-sse-priming-event',
      'WARNING server-sse-retry-field',
    ]);
  });
});
