/** Files that the user drops on any view. The import view receives them. */
import { address } from '../address.js';
import { hrefOf } from '../route.js';

let dropped: File | undefined;
let listener: ((file: File) => void) | undefined;

/** Opens the import view when a file is dropped on the page. It is called once. */
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

/** Calls `take` with a file that was dropped before, and with each file that is dropped later. */
export function onDropped(take: (file: File) => void): () => void {
  listener = take;
  if (dropped !== undefined) take(dropped);
  dropped = undefined;
  return () => {
    listener = undefined;
  };
}
