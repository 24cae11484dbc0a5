/** Files that the user drops on any view. The import view receives them. */
import { address } from '../navigation/address.js';
import { hrefOf } from '../navigation/route.js';
import { notify } from '../notices.jsx';

const OTHER_WAYS =
  'Drop one file, such as a zip archive of all, or run daybook import with the path of the folder.';

let dropped: File | undefined;
let listener: ((file: File) => void) | undefined;

/** Opens the import view when a file is dropped on the page. It is called once. */
export function followDrops(): () => void {
  const over = (event: DragEvent) => {
    if (event.dataTransfer?.types.includes('Files')) event.preventDefault();
  };
  const drop = (event: DragEvent) => {
    const { files, items } = event.dataTransfer ?? {};
    const [file] = files ?? [];
    if (file === undefined) return;
    event.preventDefault();
    // The browser cannot upload a folder: the request would fail as if the server did not answer.
    if (items?.[0]?.webkitGetAsEntry()?.isDirectory)
      return notify({ text: `${file.name} is a folder. ${OTHER_WAYS}` });
    if (files !== undefined && files.length > 1)
      notify({ text: `Only ${file.name} is read. ${OTHER_WAYS}` });
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
