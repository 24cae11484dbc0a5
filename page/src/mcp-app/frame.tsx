/** The frame of a view in the window of an assistant, with buttons for back, refresh and full screen. */
import type { App } from '@modelcontextprotocol/ext-apps';
import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Empty } from '../components.jsx';
import { type Route, useRoute } from '../navigation/route.js';
import { Notices } from '../notices.jsx';
import { ConversationView } from '../views/conversation.jsx';
import { FiguresView } from '../views/figures.jsx';
import { Knowledge } from '../views/knowledge.jsx';
import { Search } from '../views/search.jsx';
import type { HostConnection } from './host-connection.js';
import type { MemoryAddress } from './memory-address.js';

/** The views that a frame can show; other views are only on the page. */
const VIEWS: Readonly<Record<string, ComponentType<{ readonly route: Route }>>> = {
  conversation: ConversationView,
  figures: FiguresView,
  knowledge: Knowledge,
  search: Search,
};

export interface FrameProps {
  readonly app: App;
  readonly connection: HostConnection;
  readonly address: MemoryAddress;
  /** The earlier version of the conversation that the assistant read, if it did. */
  readonly version: unknown;
}

export function Frame({ app, connection, address, version }: FrameProps) {
  const route = useRoute();
  const View = VIEWS[route.view];
  return (
    <>
      <header class="bar">
        <span class="brand">Daybook</span>
        {address.hasBefore && (
          <button type="button" onClick={() => address.back()}>
            Back
          </button>
        )}
        <button type="button" onClick={() => connection.refresh()}>
          Refresh
        </button>
        <WholeScreen app={app} />
      </header>
      <main tabIndex={0} aria-label="Daybook">
        {version !== undefined && !address.hasBefore && (
          <p class="facts">
            The assistant has read version {String(version)}. This is the conversation as it is now.
          </p>
        )}
        {View === undefined ? <OnThePage /> : <View route={route} />}
      </main>
      <Notices />
    </>
  );
}

function OnThePage() {
  return (
    <Empty title="This view is only on the page of Daybook">
      <p>
        Run <code>daybook open</code>.
      </p>
    </Empty>
  );
}

/** Shows nothing if the host has no other display mode. */
function WholeScreen({ app }: { readonly app: App }) {
  const [context, setContext] = useState(app.getHostContext());
  useEffect(() => {
    const update = () => setContext({ ...app.getHostContext() });
    app.addEventListener('hostcontextchanged', update);
    return () => app.removeEventListener('hostcontextchanged', update);
  }, [app]);
  const { displayMode = 'inline', availableDisplayModes = [] } = context ?? {};
  const other = displayMode === 'fullscreen' ? 'inline' : 'fullscreen';
  if (!availableDisplayModes.includes(other)) return null;
  return (
    <button type="button" onClick={() => void app.requestDisplayMode({ mode: other })}>
      {other === 'fullscreen' ? 'Full screen' : 'Smaller'}
    </button>
  );
}
