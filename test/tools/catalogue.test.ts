/**
 * The catalogue of tools: every file is listed under its name, every tool has the fields that clients need,
 * schemas change only on purpose, and the list is small enough.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { ERROR_KINDS } from '../../src/base/errors.js';
import { toolsetConfig } from '../../src/config/settings/toolset-settings.js';
import { toolListing } from '../../src/server/mcp/offered-tools.js';
import type { Tool } from '../../src/tools/define-tool.js';
import { TOOLSETS, tools } from '../../src/tools/index.js';

const TOOLS = resolve(import.meta.dirname, '../../src/tools');
const CLIENTS = resolve(import.meta.dirname, '../../docs/CLIENTS.md');
const SCHEMAS = resolve(import.meta.dirname, '__schemas__');
/** The default menu, which a host sends in every conversation before the first question. */
const MENU_BUDGET_TOKENS = 11_000;
/** The default menu with a Perplexity key, which adds the Perplexity tools. */
const MENU_WITH_KEY_BUDGET_TOKENS = 12_000;
/** All tools, with the toolset for administrators, which is off by default. */
const WHOLE_MENU_BUDGET_TOKENS = 13_000;
const LIST_BUDGET_BYTES_PER_TOOL = 3_500;

/** The folders of `src/tools` that have no tools, but what several tools share. */
const SHARED = ['answers', 'fields'];
const toolFiles = readdirSync(TOOLS, { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !SHARED.includes(entry.name))
  .flatMap((folder) => readdirSync(join(TOOLS, folder.name)).map((file) => [folder.name, file]));

/** Names, descriptions and input schemas: what hosts show to the model. */
function menuTokens(menu: readonly Tool[]): number {
  const shown = menu.map(toolListing).map(({ name, description, inputSchema }) => {
    return { name, description, inputSchema };
  });
  return countTokens(JSON.stringify(shown));
}

interface Schema {
  type?: string;
  description?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: unknown;
  oneOf?: unknown;
  allOf?: unknown;
  enum?: unknown;
}

describe('the list', () => {
  it('has each tool file once, under the name of the file', () => {
    const fromFiles = toolFiles.map(([, file]) => file?.replace(/\.ts$/, '').replaceAll('-', '_'));
    expect(tools.map(({ name }) => name).sort()).toEqual(fromFiles.sort());
  });

  it('keeps each tool in the folder of its toolset', () => {
    const folders = toolFiles.map(([folder, file]) => `${folder}/${file}`);
    for (const { name, toolset } of tools) {
      const folder = toolset.replaceAll('_', '-');
      expect(folders).toContain(`${folder}/${name.replaceAll('_', '-')}.ts`);
    }
  });

  it('uses every name and alias once', () => {
    const names = tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  it('stays within its budget', () => {
    const bytes = JSON.stringify(tools.map(toolListing)).length;
    expect(bytes / tools.length).toBeLessThan(LIST_BUDGET_BYTES_PER_TOOL);
  });

  it('does not exceed its budgets of tokens, without and with a Perplexity key', () => {
    const withKey = tools.filter(({ toolset }) => toolset !== 'admin');
    const byDefault = withKey.filter(({ needsPerplexity }) => !needsPerplexity);
    const [tokens, ofKey, ofAll] = [byDefault, withKey, tools].map(menuTokens) as [
      number,
      number,
      number,
    ];
    // Few clients show them to the model. They are printed so that their growth is noticed.
    const outputs = tools.map(toolListing).map(({ outputSchema }) => outputSchema);
    console.info(
      `menu of ${byDefault.length} tools: ${tokens} tokens (o200k), with a key ${withKey.length}: ${ofKey}, of all ${tools.length}: ${ofAll}; output schemas: ${countTokens(JSON.stringify(outputs))}`,
    );
    expect(tokens).toBeGreaterThan(1000);
    expect(tokens).toBeLessThanOrEqual(MENU_BUDGET_TOKENS);
    expect(ofKey).toBeLessThanOrEqual(MENU_WITH_KEY_BUDGET_TOKENS);
    expect(ofAll).toBeLessThanOrEqual(WHOLE_MENU_BUDGET_TOKENS);
    const [, count, thousands, rest] =
      /sees (\d+) tools.* (\d+) (\d{3}) tokens/.exec(readFileSync(CLIENTS, 'utf8')) ?? [];
    expect(Number(count)).toBe(byDefault.length);
    const documented = Number(`${thousands}${rest}`);
    expect(Math.abs(tokens / documented - 1), `${tokens} tokens`).toBeLessThan(0.05);
  });

  it('names only tools that are listed by default, in descriptions and general hints', () => {
    const isHidden = ({ toolset, needsPerplexity }: Tool) =>
      toolset === 'admin' || needsPerplexity === true;
    const texts = [
      ...Object.values(ERROR_KINDS).map(({ hint }) => hint),
      ...tools
        .filter((tool) => !isHidden(tool))
        .map(toolListing)
        .map((tool) => JSON.stringify(tool)),
    ];
    const hidden = tools.filter(isHidden).map(({ name }) => name);
    const named = hidden.filter((name) =>
      texts.some((text) => new RegExp(`\\b${name}\\b`).test(text)),
    );
    expect(named).toEqual([]);
  });

  it('has for each choice of toolsets the number of tools in docs/CLIENTS.md', () => {
    const rows = [
      ...readFileSync(CLIENTS, 'utf8').matchAll(/^\| (`[\w,]+`|without the setting) \| (\d+) \|/gm),
    ];
    expect(rows.length).toBe(5);
    for (const [, choice = '', count] of rows) {
      const chosen = choice.startsWith('`') ? choice.slice(1, -1) : undefined;
      const { toolsets } = toolsetConfig({ toolsets: chosen, views: true }, TOOLSETS);
      const listed = tools.filter(
        (tool) => !tool.needsPerplexity && toolsets.includes(tool.toolset),
      );
      expect(listed.length, choice).toBe(Number(count));
    }
  });

  it('calls the backup destructive, because it removes old backups', () => {
    const backup = tools.find(({ name }) => name === 'backup');
    expect(backup?.annotations.destructiveHint).toBe(true);
  });

  it('has no schema of a removed tool', () => {
    const known = tools.map(({ name }) => `${name}.json`);
    const files = existsSync(SCHEMAS) ? readdirSync(SCHEMAS) : [];
    expect(files.filter((file) => !known.includes(file))).toEqual([]);
  });
});

describe.each(tools.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const { inputSchema, outputSchema, annotations, title, description } = toolListing(tool);

  it('has a name that clients accept, a toolset, a title and a description', () => {
    expect(name).toMatch(/^[a-z][a-z0-9_]{2,39}$/);
    expect(TOOLSETS).toContain(tool.toolset);
    expect(title?.length).toBeGreaterThan(3);
    expect(title?.length).toBeLessThan(50);
    expect(description?.length).toBeGreaterThan(60);
    expect(description?.length).toBeLessThan(700);
  });

  it('states all four hints', () => {
    const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
    expect(Object.keys(annotations ?? {}).sort()).toEqual(hints.sort());
    expect(annotations?.readOnlyHint && annotations.destructiveHint).toBe(false);
  });

  it('describes each input field, refuses unknown fields, and has no union at the top', () => {
    const schema = inputSchema as Schema;
    expect(schema.type).toBe('object');
    expect(schema.additionalProperties).toBe(false);
    expect([schema.anyOf, schema.oneOf, schema.allOf]).toEqual([undefined, undefined, undefined]);
    for (const [field, property] of Object.entries(schema.properties ?? {})) {
      expect(property.description?.length, field).toBeGreaterThan(8);
      expect(property.type ?? property.enum ?? property.anyOf, field).toBeDefined();
    }
  });

  it('has an output schema that starts with success', () => {
    expect(Object.keys((outputSchema as Schema).properties ?? {})[0]).toBe('success');
  });

  it('has the same schema as the stored snapshot (npm run gen after an intended change)', async () => {
    const schema = `${JSON.stringify({ inputSchema, outputSchema }, null, 2)}\n`;
    await expect(schema).toMatchFileSnapshot(join(SCHEMAS, `${name}.json`));
  });
});
