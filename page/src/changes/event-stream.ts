/**
 * The stream of changes from the server. It is opened again when it ends or is silent for too long. A hidden tab has
 * none: a browser opens at most six connections to a server, and each stream keeps one, so that a seventh tab would
 * wait for ever.
 */
import { ALL_CHANGES, type Change } from './change.js';

/** `signed-out`: the server answers, and the session of the browser has ended. */
export type ServerState = 'answers' | 'lost' | 'signed-out';

let reportState: (state: ServerState) => void = () => undefined;

/** Calls `report` when the stream ends, and when it is open again. */
export function followServer(report: (state: ServerState) => void): void {
  reportState = report;
}

/** `wasLost`: an earlier stream ended, so ALL_CHANGES is reported when this one is open. */
export function followEvents(report: (change: Change) => void, wasLost = false): void {
  if (document.hidden) {
    document.addEventListener('visibilitychange', () => followEvents(report, true), { once: true });
    return;
  }
  const source = new EventSource('/api/events');
  let isBehind = wasLost;
  const silence = onSilence(reopen);
  const stopHiding = onHidden(reopen);
  source.addEventListener('alive', silence.end);
  source.addEventListener('changed', ({ data }) => {
    silence.end();
    report(JSON.parse(data));
  });
  source.addEventListener('open', () => {
    silence.end();
    setLive(true);
    if (isBehind) for (const change of ALL_CHANGES) report(change);
    isBehind = false;
  });
  source.addEventListener('error', () => {
    setLive(false);
    isBehind = true;
    if (source.readyState !== EventSource.CLOSED) return;
    silence.stopWatching();
    stopHiding();
    setTimeout(reopen, 1000);
  });
  function reopen() {
    silence.stopWatching();
    stopHiding();
    source.close();
    setLive(false);
    followEvents(report, true);
  }
}

function setLive(isLive: boolean): void {
  document.documentElement.dataset['live'] = isLive ? 'yes' : 'no';
  if (isLive) reportState('answers');
  else void checkServer();
}

const MAX_ANSWER_MS = 5_000;

/** A stream can also end while the server answers, as when its store cannot be opened. */
async function checkServer(): Promise<void> {
  const signal = AbortSignal.timeout(MAX_ANSWER_MS);
  const state = await fetch('/api/session', { signal }).then(
    ({ status }): ServerState => {
      if (status === 401) return 'signed-out';
      return status < 500 ? 'answers' : 'lost'; // a proxy can answer for the server
    },
    (): ServerState => 'lost',
  );
  if (document.documentElement.dataset['live'] === 'no') reportState(state);
}

const WATCH_MS = 5_000;
/** The server sends an event every 15 seconds. */
const SILENCE_MS = 35_000;

/** Calls `onSilent` after SILENCE_MS without an event: a lost connection does not always cause an error. */
function onSilence(onSilent: () => void) {
  let last = Date.now();
  const timer = setInterval(() => {
    if (Date.now() - last > SILENCE_MS) onSilent();
  }, WATCH_MS);
  const end = () => {
    last = Date.now();
  };
  return { end, stopWatching: () => clearInterval(timer) };
}

/** Shorter, and a look at another tab would load everything again. */
const HIDDEN_MS = 5_000;

/** Calls `onLong` when the tab is hidden for HIDDEN_MS, until the returned function is called. */
function onHidden(onLong: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const changed = () => {
    clearTimeout(timer);
    if (document.hidden) timer = setTimeout(onLong, HIDDEN_MS);
  };
  document.addEventListener('visibilitychange', changed);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', changed);
  };
}
