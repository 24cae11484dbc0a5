/** A line that is shown as long as the server does not answer, or the session of the browser has ended. */
import { useEffect, useState } from 'preact/hooks';
import { followServer, type ServerState } from './changes/event-stream.js';
import { ReloadButton } from './components.jsx';

export function ConnectionNotice() {
  const [state, setState] = useState<ServerState>('answers');
  useEffect(() => followServer(setState), []);
  if (state === 'answers') return null;
  return (
    <div class="notice">
      {state === 'lost' ? (
        <>
          The connection to the server is lost. If the server has ended, start it with{' '}
          <code>daybook open</code>.
        </>
      ) : (
        <>
          Your session has ended, so this page does not show new changes.{' '}
          <ReloadButton label="Sign in" />
        </>
      )}
    </div>
  );
}
