/**
 * `npm run page:report`: the size of the page, and how fast its views load and react, with a store of 10 000
 * conversations, one conversation of 200 MB, and 5 000 facts. It prints tables and checks no limits, because
 * times depend on the machine.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readdirSync, readFileSync, writeFileSync, writeSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import axe from 'axe-core';
import { launch, newPlace, servePage } from './browser.mjs';

const ASSETS = resolve(import.meta.dirname, '../../dist/page/assets');
const LARGE = '20250301-1740787200000';
const LARGE_BYTES = 200_000_000;
const CONVERSATIONS = 10_000;
const FACTS = 5_000;
const LONGEST_MS = 60_000;

const rows = [];
const note = (what, value) => {
  rows.push([what, value]);
  console.log(`${what.padEnd(56)} ${value}`);
};

function sizes() {
  const first = readFileSync(join(ASSETS, '../index.html'), 'utf8');
  const files = readdirSync(ASSETS).filter((name) => /\.(js|css)$/.test(name));
  const packed = (names) =>
    names.reduce((sum, name) => sum + gzipSync(readFileSync(join(ASSETS, name))).byteLength, 0);
  note('first view, compressed', `${kilobytes(packed(files.filter((n) => first.includes(n))))} kB`);
  note('all of the page, compressed', `${kilobytes(packed(files))} kB`);
}

const kilobytes = (bytes) => Math.round(bytes / 1000);

function conversationFile(root, id) {
  const folder = join(root, 'conversation-logs', id);
  mkdirSync(folder, { recursive: true });
  return join(folder, 'conversation.json');
}

function writeStore(root) {
  for (let at = 0; at < CONVERSATIONS; at += 1) {
    const time = Date.UTC(2024, 0, 1) + at * 3_600_000;
    const createdAt = new Date(time).toISOString();
    const id = `${createdAt.slice(0, 10).replaceAll('-', '')}-${time}`;
    const messages = [{ role: 'user', content: `Question ${at} about rivers`, createdAt }];
    const document = { conversationId: id, title: `Conversation ${at}`, createdAt, messages };
    writeFileSync(conversationFile(root, id), JSON.stringify(document));
  }
  const file = openSync(conversationFile(root, LARGE), 'w');
  writeSync(file, `{"conversationId":"${LARGE}","title":"Large","messages":[`);
  const text = 'The river rises in the hills and goes down to the sea. '.repeat(35);
  let written = 0;
  for (let at = 1; written < LARGE_BYTES; at += 1) {
    const message = JSON.stringify({
      role: at % 2 ? 'user' : 'assistant',
      content: `${at} ${text}`,
    });
    written += writeSync(file, `${at === 1 ? '' : ','}${message}`);
  }
  writeSync(file, ']}');
}

/** The private memory of the processes of the pages of the browser, in kilobytes. */
async function pageMemory(browser) {
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  const own = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => /VmRSS:\s+(\d+)/.exec(statusOf(id))?.[1] ?? 0);
  return Math.max(...own.map(Number));
}

function statusOf(id) {
  try {
    return readFileSync(`/proc/${id}/status`, 'utf8');
  } catch {
    return ''; // not Linux
  }
}

/** The time from the change of the address until `selector` is in the document. */
async function show(page, address, selector) {
  let bytes = 0;
  let requests = 0;
  const count = async (response) => {
    requests += 1;
    bytes += (await response.body().catch(() => '')).length;
  };
  page.on('response', count);
  const began = performance.now();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, address);
  await page.waitForSelector(selector, { timeout: LONGEST_MS });
  const ms = Math.round(performance.now() - began);
  await page.waitForTimeout(200);
  page.off('response', count);
  return `${ms} ms, ${requests} requests, ${kilobytes(bytes)} kB`;
}

/** One step of each movement; runs in the page. */
const MOVES = {
  slide: (step) => {
    const slider = document.querySelector('.as-of input');
    slider.value = String(Number(slider.max) - step * 3);
    slider.dispatchEvent(new Event('input', { bubbles: true }));
  },
  drag: (step) => {
    const graph = document.querySelector('canvas.graph');
    graph.setPointerCapture = () => undefined; // there is no such pointer
    const { left, top } = graph.getBoundingClientRect();
    const at = { clientX: left + 100 + step * 4, clientY: top + 100, pointerId: 1 };
    if (step === 0) graph.dispatchEvent(new PointerEvent('pointerdown', at));
    graph.dispatchEvent(new PointerEvent(step === 59 ? 'pointerup' : 'pointermove', at));
  },
  zoom: (step) => {
    const graph = document.querySelector('canvas.graph');
    graph.dispatchEvent(new WheelEvent('wheel', { deltaY: step % 20 < 10 ? -1 : 1 }));
  },
};

/** Runs in the page: the times between two frames during 60 steps of a movement, the shortest first. */
async function gapsWhile(move) {
  const gaps = [];
  let before = performance.now();
  for (let step = 0; step < 60; step += 1) {
    move(step);
    await new Promise((done) => requestAnimationFrame(done));
    const now = performance.now();
    gaps.push(now - before);
    before = now;
  }
  return gaps.sort((a, b) => a - b);
}

async function frames(page, move) {
  const times = await page.evaluate(`(${gapsWhile})(${move})`);
  return `${Math.round(times[30])} ms median, ${Math.round(times.at(-1))} ms longest`;
}

async function addFacts({ root, env }) {
  const facts = Array.from({ length: FACTS }, (_, at) => ({
    subject: `Person ${at % 700}`,
    predicate: ['knows', 'lives in', 'likes'][at % 3],
    object: `Thing ${(at * 7) % 1900} ${Math.floor(at / 700)}`,
  }));
  const file = join(root, '..', 'facts.jsonl');
  writeFileSync(file, facts.map((fact) => JSON.stringify(fact)).join('\n'));
  const main = resolve(import.meta.dirname, '../../dist/cli/main.js');
  const child = spawn(process.execPath, [main, '--root', root, 'kg', 'import', '--file', file], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  await new Promise((done) => child.on('exit', done));
}

/** Runs before the scripts of the page, and collects what Chromium measures. */
function observe() {
  const found = { shift: 0, blocking: 0, largest: 0 };
  Object.assign(window, { measured: found });
  const follow = (type, add) =>
    new PerformanceObserver((list) => list.getEntries().forEach(add)).observe({
      type,
      buffered: true,
    });
  follow('layout-shift', ({ value, hadRecentInput }) => {
    if (!hadRecentInput) found.shift += value;
  });
  follow('longtask', ({ duration }) => {
    found.blocking += duration - 50;
  });
  follow('largest-contentful-paint', ({ startTime }) => {
    found.largest = startTime;
  });
}

const VIEWS = [
  '',
  'search?q=river',
  'figures',
  'knowledge',
  'notes',
  'insights',
  'import',
  'trash',
];

/**
 * Loads each view: first and largest content, bytes over the network, the time of long tasks beyond 50 ms,
 * the shift of the layout, and the faults that axe finds. The policy of the page would refuse axe, so the
 * browser evaluates it without this policy.
 */
async function audit(page) {
  const lines = [['view', 'first', 'largest', 'bytes', 'blocking', 'shift', 'axe']];
  for (const view of VIEWS) {
    await page.goto('about:blank');
    await page.goto(`${origin}/#/${view}`);
    try {
      await page.waitForSelector('h1, h2', { timeout: LONGEST_MS });
      await page.waitForSelector('.loading', { state: 'detached', timeout: LONGEST_MS });
    } catch {
      lines.push([`/${view}`, 'not whole', `in ${LONGEST_MS / 1000} s`]);
      continue;
    }
    await page.waitForTimeout(1500);
    const { shift, blocking, largest, first, bytes } = await page.evaluate(() => ({
      ...window.measured,
      first: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
      bytes: performance
        .getEntriesByType('resource')
        .reduce((sum, { transferSize }) => sum + transferSize, 0),
    }));
    await page.evaluate(axe.source);
    const faults = await page.evaluate(async () => (await window.axe.run()).violations.length);
    const times = [first, largest].map((ms) => `${Math.round(ms)} ms`);
    const others = [`${kilobytes(bytes)} kB`, `${Math.round(blocking)} ms`, shift.toFixed(3)];
    lines.push([`/${view}`, ...times, ...others, String(faults)]);
  }
  console.log();
  for (const [name, ...values] of lines) {
    console.log(name.padEnd(18), ...values.map((value) => value.padStart(10)));
  }
}

const place = newPlace();
let origin = '';
let served;
const browser = await launch();
try {
  sizes();
  writeStore(place.root);
  await addFacts(place);
  served = await servePage(place);
  origin = served.origin;
  const page = await browser.newPage({ viewport: { width: 1100, height: 720 } });
  await page.addInitScript(observe);
  await page.goto(served.link);
  await page.waitForSelector('.row', { timeout: LONGEST_MS });
  await page.reload();
  await page.waitForSelector('.row', { timeout: LONGEST_MS });
  const paint = await page.evaluate(
    () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0,
  );
  note('first content', `${Math.round(paint)} ms`);
  await show(page, '#/trash', '.totals');
  note(`list of ${CONVERSATIONS} conversations`, await show(page, '#/', '.row'));
  note('conversation of 200 MB, first time', await show(page, `#/conversation/${LARGE}`, '#m1'));
  await show(page, '#/trash', '.totals');
  note('conversation of 200 MB, again', await show(page, `#/conversation/${LARGE}`, '#m1'));
  await page.evaluate(async () => {
    for (let round = 0; round < 40; round += 1) {
      document.querySelector('.end')?.scrollIntoView();
      await new Promise((done) => setTimeout(done, 100));
    }
  });
  note('memory of the page after scrolling in it', `${kilobytes(await pageMemory(browser))} MB`);
  note(`graph of ${FACTS} facts`, await show(page, '#/knowledge', '.facts-table td'));
  await page.waitForTimeout(1000);
  note('frames while the slider of days is moved', await frames(page, MOVES.slide));
  // The facts are of today, so there is no picture for the earlier days of the slider.
  await show(page, '#/trash', '.totals');
  await show(page, '#/knowledge', 'canvas.graph');
  note('frames while the graph is dragged', await frames(page, MOVES.drag));
  note('frames while the graph is zoomed', await frames(page, MOVES.zoom));
  await audit(page);
} finally {
  await browser.close();
  await served?.stop();
  place.remove();
}
