/**
 * Serves a site that shows views as an assistant does (mcp-app-host.ts), and starts the built server. It is
 * for the test of the views and for their pictures.
 */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join, resolve } from 'node:path';
import { rolldown } from 'rolldown';
import { servePage } from './browser.mjs';

/** The policy that the specification requires for a view without other origins, with access to the server. */
const policyFor = (server) =>
  `default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-src 'self'; connect-src ${server}`;
const DOCUMENT = '<!doctype html><script type="module" src="/host.js"></script>';

async function hostScript() {
  const input = resolve(import.meta.dirname, 'mcp-app-host.ts');
  const bundle = await rolldown({ input, platform: 'browser', logLevel: 'silent' });
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false });
  return output[0].code;
}

/** Starts the server of the place with all tools, and the site, which may send requests to the server. */
export async function serveHost(place) {
  const script = await hostScript();
  let policy = '';
  const site = createServer(({ url }, response) => {
    const isScript = url === '/host.js';
    response.setHeader('Content-Type', isScript ? 'text/javascript' : 'text/html; charset=utf-8');
    response.setHeader('Content-Security-Policy', policy);
    response.end(isScript ? script : DOCUMENT);
  });
  site.listen(0, '127.0.0.1');
  await once(site, 'listening');
  const origin = `http://127.0.0.1:${site.address().port}`;
  const settings = { DAYBOOK_HTTP_ALLOWED_ORIGINS: origin, DAYBOOK_TOOLSETS: 'all' };
  const served = await servePage({ ...place, env: { ...place.env, ...settings } });
  policy = policyFor(served.origin);
  const token = readFileSync(join(place.env.XDG_CONFIG_HOME, 'daybook/http-token'), 'utf8').trim();
  const close = async () => {
    await served.stop();
    site.close();
  };
  /** Opens the site in a page of the browser and connects its client. */
  const open = async (page) => {
    await page.goto(origin);
    await page.waitForFunction(() => 'host' in window);
    await page.evaluate(
      ([url, secret]) => window.host.connect(url, secret),
      [`${served.origin}/mcp`, token],
    );
  };
  return { origins: [origin, served.origin], open, close };
}
