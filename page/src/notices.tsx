/** Notices: one sentence about what was done, for some seconds, with a button that undoes it. */
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useKeys } from './hooks.js';
import { CallError } from './server/api.js';

export interface Notice {
  readonly text: string;
  readonly undo?: () => void;
}

let show: (notice: Notice | undefined) => void = () => undefined;
/** Shows a sentence for `NOTICE_MS`, with a button that undoes the change if `undo` is given. */
export const notify = (notice: Notice): void => show(notice);

/** Shows the error of a call. `otherwise`: the sentence for an error that is no CallError. */
export function notifyError(error: unknown, otherwise: string): void {
  notify({ text: error instanceof CallError ? `${error.message} ${error.hint}` : otherwise });
}

const NOTICE_MS = 10_000;

/** `children` are shown above the notice. */
export function Notices({ children }: { readonly children?: ComponentChildren }) {
  const [notice, setNotice] = useState<Notice>();
  useEffect(() => {
    show = setNotice;
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => setNotice(undefined), NOTICE_MS);
    return () => clearTimeout(timer);
  }, [notice]);
  const undo = () => {
    notice?.undo?.();
    setNotice(undefined);
  };
  useKeys({ u: () => notice?.undo && undo() });
  return (
    <div class="notices" role="status">
      {children}
      {notice && (
        <div class="notice">
          {notice.text}{' '}
          {notice.undo && (
            <button type="button" title="Key: u" onClick={undo}>
              Undo
            </button>
          )}
        </div>
      )}
    </div>
  );
}
