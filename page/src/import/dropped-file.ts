/** A file that was dropped onto any view; the view of imports takes it from here. */
import { address } from '../address.js';
import { hrefOf } from '../hooks.js';

let dropped: File | undefined;
let listener: ((file: File) => void) | undefined;

/** Files that are dropped anywhere go to the view of imports. Call it once. */
export function followDrops(): () => void {
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    const [file] = event.dataTransfer?.files ?? [];
    if (file === undefined) return;
    event.preventDefault();
    if (listener !== undefined) return listener(file);
    dropped = file;
    address.go(hrefOf('import'));
  };
  addEventListener('dragover', over);
  addEventListener('drop', drop);
  return () => {
    removeEventListener('dragover', over);
    removeEventListener('drop', drop);
  };
}

/** Called with the file that brought the reader here, and with those that follow. */
export function onDropped(take: (file: File) => void): () => void {
  listener = take;
  if (dropped !== undefined) take(dropped);
  dropped = undefined;
  return () => {
    listener = undefined;
  };
}
