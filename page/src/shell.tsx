/**
 * The frame of every view: navigation, keys of the whole page, quick find, help, and notices. Keys of one view are in
 * that view; `useListKeys` (hooks.ts) has j and k.
 */

import type { ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Empty, ReloadButton } from './components.jsx';
import { ConnectionNotice } from './connection-notice.jsx';
import { Dialog } from './dialog.jsx';
import { focusView, useKeys, useTitle } from './hooks.js';
import { followDrops } from './import/dropped-file.js';
import { address } from './navigation/address.js';
import { hrefOf, type Route, useRoute } from './navigation/route.js';
import { Notices } from './notices.jsx';
import { QuickFind } from './quick-find.jsx';
import { StoreAway } from './store-away.jsx';
import { Timeline } from './views/timeline.jsx';

type View = ComponentType<{ readonly route: Route }>;

/** Views that are loaded when they are first opened. */
const LAZY: ReadonlyMap<string, () => Promise<View>> = new Map(
  Object.entries({
    conversation: async () => (await import('./views/conversation.jsx')).ConversationView,
    search: async () => (await import('./views/search.jsx')).Search,
    figures: async () => (await import('./views/figures.jsx')).FiguresView,
    knowledge: async () => (await import('./views/knowledge.jsx')).Knowledge,
    notes: async () => (await import('./views/notes.jsx')).Notes,
    import: async () => (await import('./views/import.jsx')).ImportView,
    insights: async () => (await import('./views/insights.jsx')).Insights,
    trash: async () => (await import('./views/trash.jsx')).TrashView,
  }),
);

const NAVIGATION: readonly (readonly [view: string, label: string, key: string])[] = [
  ['', 'Timeline', 't'],
  ['search', 'Search', '/'],
  ['figures', 'Figures', 'f'],
  ['knowledge', 'Knowledge', 'g'],
  ['notes', 'Notes', 'n'],
  ['insights', 'Insights', 'i'],
  ['trash', 'Trash & health', 'x'],
];

/** Titles of views that are not in the navigation, or have another name there. */
const TITLES: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['conversation', 'Conversation'],
  ['import', 'Import'],
]);

/** The heading and the title of the window for an address that has no view. */
const UNKNOWN = 'Unknown address';

const KEYS: readonly (readonly [keys: string, what: string])[] = [
  ['Ctrl K or ⌘ K', 'find by name'],
  ['/', 'search what was said'],
  ['j, k', 'next and previous entry of a list'],
  ['J, K', 'next and previous question of a conversation'],
  ['Enter', 'open the entry'],
  ['s', 'find in the open conversation'],
  ['u', 'undo, while a notice offers it'],
  ...NAVIGATION.filter(([view]) => view !== 'search').map(
    ([, label, key]) => [key, label.toLowerCase()] as const,
  ),
  ['?', 'these keys'],
  ['Esc', 'close what is open'],
];

export function Shell() {
  const route = useRoute();
  const [isFinding, setFinding] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const go = (view: string) => () => {
    address.go(hrefOf(view));
  };
  useKeys({
    ...Object.fromEntries(NAVIGATION.map(([view, , key]) => [key, go(view)])),
    '/': (event) => {
      event.preventDefault();
      if (route.view !== 'search') go('search')();
    },
    '?': () => setHelping(true),
  });
  useEffect(followDrops, []);
  useFocusInView(route);
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== 'k') return;
      event.preventDefault();
      setFinding(true);
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
  return (
    <>
      <a class="skip" href="#main" onClick={focusMain}>
        Skip to the content
      </a>
      <header class="bar">
        <a class="brand" href={hrefOf('')}>
          Daybook
        </a>
        <nav aria-label="Views">
          {NAVIGATION.map(([view, label]) => (
            <a
              key={view}
              href={hrefOf(view)}
              aria-current={isCurrent(view, route) ? 'page' : undefined}
            >
              {label}
            </a>
          ))}
        </nav>
        <button type="button" class="quiet" onClick={() => setFinding(true)}>
          Find <kbd>Ctrl K</kbd>
        </button>
        <button type="button" class="quiet" aria-label="Keys" onClick={() => setHelping(true)}>
          ?
        </button>
      </header>
      <main id="main" tabIndex={-1}>
        <StoreAway />
        <CurrentView route={route} />
      </main>
      {isFinding && <QuickFind onClose={() => setFinding(false)} />}
      {isHelping && <Help onClose={() => setHelping(false)} />}
      <Notices>
        <ConnectionNotice />
      </Notices>
    </>
  );
}

/** Moves the focus into the new view if the element that had it is gone. */
function useFocusInView({ view, name }: Route): void {
  const isFirst = useRef(true);
  useEffect(() => {
    const hasFocus = document.activeElement !== document.body;
    if (!isFirst.current && !hasFocus) focusView();
    isFirst.current = false;
  }, [view, name]);
}

const isCurrent = (view: string, route: Route) =>
  view === route.view || (view === '' && route.view === 'conversation');

function focusMain(event: Event): void {
  event.preventDefault();
  focusView();
}

function CurrentView({ route }: { readonly route: Route }) {
  const [loaded, setLoaded] = useState<Record<string, View>>({});
  const load = LAZY.get(route.view);
  const View = loaded[route.view];
  const label = NAVIGATION.find(([view]) => view === route.view)?.[1];
  useTitle(TITLES.get(route.view) ?? label ?? UNKNOWN);
  useEffect(() => {
    if (load === undefined || View !== undefined) return;
    load().then(
      (view) => setLoaded((before) => ({ ...before, [route.view]: view })),
      () => setLoaded((before) => ({ ...before, [route.view]: NotLoaded })),
    );
  }, [route.view, load, View]);
  if (route.view === '') return <Timeline route={route} />;
  if (load === undefined) {
    return (
      <Empty view={UNKNOWN} title="There is no such page">
        <a href={hrefOf('')}>To the timeline</a>
      </Empty>
    );
  }
  return View === undefined ? <p class="loading">Loading…</p> : <View route={route} />;
}

/** A browser does not load a script again that it failed to load, until the page is loaded again. */
function NotLoaded() {
  return (
    <Empty title="This view could not be loaded">
      <p role="alert">
        The server does not answer, or Daybook was updated. If it does not run, start it with{' '}
        <code>daybook open</code>. Then load the page again.
      </p>
      <ReloadButton label="Load the page again" />
    </Empty>
  );
}

function Help({ onClose }: { onClose(): void }) {
  return (
    <Dialog label="Keys" onClose={onClose}>
      {/* The focus on the button would scroll a small window to the end of the list. */}
      <h2 tabIndex={-1} autofocus>
        Keys
      </h2>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </Dialog>
  );
}
