/**
 * The stream of changes from the server. It is opened again when it ends or is silent for too long.
 */
import { ALL_CHANGES, type Change } from './change.js';

/** `wasLost`: an earlier stream ended, so ALL_CHANGES is reported when this one is open. */
export function followEvents(report: (change: Change) => void, wasLost = false): void {
  const source = new EventSource('/api/events');
  let isBehind = wasLost;
  const silence = onSilence(reopen);
  source.addEventListener('alive', silence.end);
  source.addEventListener('changed', ({ data }) => {
    silence.end();
    report(JSON.parse(data));
  });
  source.addEventListener('open', () => {
    silence.end();
    document.documentElement.dataset['live'] = 'yes';
    if (isBehind) for (const change of ALL_CHANGES) report(change);
    isBehind = false;
  });
  source.addEventListener('error', () => {
    document.documentElement.dataset['live'] = 'no';
    isBehind = true;
    if (source.readyState !== EventSource.CLOSED) return;
    silence.stopWatching();
    setTimeout(reopen, 1000);
  });
  function reopen() {
    silence.stopWatching();
    source.close();
    document.documentElement.dataset['live'] = 'no';
    followEvents(report, true);
  }
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
