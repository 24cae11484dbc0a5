/** A warning that is shown as long as the store cannot be written. */
import { useEffect, useState } from 'preact/hooks';
import { reloadViews } from './changes/use-changes.js';
import { call, followStore } from './server/api.js';

/** The server looks for the store every few seconds. */
const AGAIN_MS = 5_000;

export function StoreAway() {
  const [isAway, setAway] = useState(false);
  useEffect(() => followStore(setAway), []);
  useEffect(() => {
    if (!isAway) return undefined;
    const ask = () => void call('mb_list', { limit: 1 }).catch(() => undefined);
    const timer = setInterval(ask, AGAIN_MS);
    return () => {
      clearInterval(timer);
      reloadViews();
    };
  }, [isAway]);
  if (!isAway) return null;
  return (
    <p class="failure" role="alert">
      <strong>The store cannot be written now.</strong> The page shows what the server has in
      memory, which may be incomplete. New texts wait there, and are lost if the server ends before
      they are stored. Other changes are refused. Make the folder of the store available again:
      connect or mount its drive, move it back, or free space on its disk.
    </p>
  );
}
