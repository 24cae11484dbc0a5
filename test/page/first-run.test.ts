/** The page of an empty store: it shows how to connect a client, as `daybook init --print` does. */
import { expect, it } from 'vitest';
import { servePage } from './browser.mjs';
import { faultsOf, type OpenedPage, run, usePages } from './opened-page.js';

const openPage = usePages(servePage);
let opened: OpenedPage;
let place: Parameters<typeof run>[0];

interface Printed {
  clients: { client: string; add: Record<string, unknown> }[];
}

it('an empty store shows settings and commands for clients, which can be copied', async () => {
  opened = await openPage((made) => {
    place = made;
  });
  const { page, context, root, served } = opened;
  const part = (name: string) => page.getByRole('region', { name, exact: true });
  const textOf = (name: string) => part(name).locator('pre').innerText();
  const printed: Printed = JSON.parse(await run(place, ['init', '--print', '--json']));
  const settings = await textOf('Settings with mcpServers');
  for (const name of ['Claude Desktop', 'Cursor', 'Antigravity', 'Devin', 'Gemini CLI']) {
    const { add } = printed.clients.find(({ client }) => client === name) ?? {};
    expect(add, name).toEqual(JSON.parse(settings));
  }
  const code = JSON.parse(await textOf('Settings for VS Code'));
  expect(printed.clients.find(({ client }) => client === 'VS Code')?.add).toEqual(code);
  const { command, args } = JSON.parse(settings).mcpServers.daybook;
  expect(await textOf('Command for Claude Code')).toBe(
    `claude mcp add daybook -- ${[command, ...args].join(' ')}`,
  );
  expect(await textOf('Command for all')).toBe(`${command} ${args[0]} init ${root}`);
  expect(await faultsOf(page)).toEqual([]);
  await page.setViewportSize({ width: 360, height: 640 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);

  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: served.origin });
  const copy = part('Settings with mcpServers').getByRole('button', { name: 'Copy' });
  await copy.focus();
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied' }).waitFor();
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(settings);
  expect(opened.faults).toEqual([]);
});

it('the views of an empty store have no faults found by axe', async () => {
  opened = await openPage(() => undefined);
  for (const [view, ready] of [
    ['notes', 'h2:text("There are no notes yet")'],
    ['insights', 'h2:text("There are no insights yet")'],
    ['knowledge', 'h2:text("There are no facts yet")'],
    ['figures', 'h2:text("There are no figures yet")'],
    ['trash', '.trash .totals'],
    ['search', 'h2:text("Search what was said and written")'],
    ['import', '.drop'],
  ] as const) {
    await opened.page.goto(`${opened.served.origin}/#/${view}`);
    await opened.page.waitForSelector(ready);
    expect(await faultsOf(opened.page), view).toEqual([]);
  }
});
