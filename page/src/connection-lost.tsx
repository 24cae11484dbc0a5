/** A line that is shown as long as the server does not answer. */
import { useEffect, useState } from 'preact/hooks';
import { followLoss } from './changes/event-stream.js';

export function ConnectionLost() {
  const [isLost, setLost] = useState(false);
  useEffect(() => followLoss(setLost), []);
  if (!isLost) return null;
  return (
    <div class="notice">
      The connection to the server is lost. If the server has ended, start it with{' '}
      <code>daybook open</code>.
    </div>
  );
}
