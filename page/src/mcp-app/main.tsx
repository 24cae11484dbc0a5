/**
 * Starts a view in the window of an assistant (MCP Apps). The host loads this document into a frame,
 * sends the input and the result of a tool, and forwards calls of tools to the server.
 */
import './no-eval.js';
import { App } from '@modelcontextprotocol/ext-apps';
import { render } from 'preact';
import { Failure } from '../components.jsx';
import { setAddress } from '../navigation/address.js';
import { CallError, connect } from '../server/api.js';
import { Frame } from './frame.jsx';
import { errorOf, hostConnection } from './host-connection.js';
import { applyHostStyle } from './host-style.js';
import { followLinks } from './links.js';
import { memoryAddress } from './memory-address.js';
import { startAddress } from './start-address.js';
import '../style.css';
import './mcp-app.css';

/** The server writes the name of the view into the document. */
const view = document.documentElement.dataset['view'] ?? '';

async function start(place: HTMLElement): Promise<void> {
  const app = new App(
    { name: 'daybook', version: '1' },
    { availableDisplayModes: ['inline', 'fullscreen'] },
  );
  const connection = hostConnection(app);
  connect(connection);
  followLinks(app);
  const fail = (error: CallError) => {
    const failure = (
      <main>
        <Failure view="Daybook" error={error} />
      </main>
    );
    render(failure, place);
  };
  let input: Record<string, unknown> = {};
  app.ontoolinput = ({ arguments: given = {} }) => {
    input = given;
  };
  app.ontoolresult = (result) => {
    if (result.isError) return fail(errorOf(result));
    const address = memoryAddress(startAddress(view, input, result.structuredContent ?? {}));
    setAddress(address);
    const { version } = input;
    render(<Frame app={app} connection={connection} address={address} version={version} />, place);
  };
  app.ontoolcancelled = () => fail(new CallError('CANCELLED', 'The call was cancelled.'));
  app.onhostcontextchanged = () => applyHostStyle(app.getHostContext() ?? {});
  app.onteardown = () => ({});
  render(<main class="loading">Loading…</main>, place);
  await app.connect().catch((cause) => fail(new CallError('HOST', String(cause))));
  applyHostStyle(app.getHostContext() ?? {});
}

const place = document.getElementById('app');
if (place !== null) void start(place);
