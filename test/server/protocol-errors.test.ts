/** What a client receives for parameters that no method accepts, byte by byte. */
import { describe, expect, it } from 'vitest';
import { ask, begin, rpc, withHttpPlace } from '../support/http-place.js';

const WRONG: readonly (readonly [string, unknown])[] = [
  ['tools/call', {}],
  ['tools/call', { name: 7 }],
  ['tools/call', { name: 'store_info', arguments: 'all' }],
  ['tools/call', { name: 'no_such_tool' }],
  ['tools/call', { name: '__proto__' }],
  ['tools/list', { cursor: 'invented' }],
  ['tools/list', { cursor: 5 }],
  ['prompts/list', { cursor: 'invented' }],
  ['prompts/get', { name: 'no_such_prompt' }],
  ['prompts/get', { name: 'summarise_conversation', arguments: { conversationId: 1 } }],
  ['resources/list', { cursor: 'invented' }],
  ['resources/templates/list', { cursor: 'invented' }],
  ['resources/read', {}],
  ['resources/read', { uri: 'file:///etc/passwd' }],
  ['resources/subscribe', { uri: ['a'] }],
  ['logging/setLevel', { level: 'loudest' }],
  ['completion/complete', { ref: 'x', argument: {} }],
];

describe('an error of the protocol', () => {
  it('for wrong parameters has the code -32602 and one short sentence', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const headers = await begin(url);
      for (const [method, params] of WRONG) {
        const { body } = await ask(url, { headers, body: rpc(method, params) });
        const about = `${method} ${JSON.stringify(params)}`;
        expect(body.error?.code, about).toBe(-32602);
        expect(body.error?.message, about).not.toMatch(/MCP error|\n|"code"/);
        expect(body.error?.message.length, about).toBeLessThan(2000);
      }
    });
  });

  it('for a resource that does not exist contains its URI', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const headers = await begin(url);
      for (const uri of ['daybook://conversation/none', 'daybook://note/none.md']) {
        for (const method of ['resources/read', 'resources/subscribe']) {
          const { body } = await ask(url, { headers, body: rpc(method, { uri }) });
          expect(body.error, method).toMatchObject({ code: -32002, data: { uri } });
        }
      }
    });
  });
});
