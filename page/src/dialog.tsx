/** A dialog over the page. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** Uses the dialog of the browser, which keeps the focus inside and restores it at the end. */
export function Dialog(props: { label: string; onClose(): void; children: ComponentChildren }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} aria-label={props.label} onClose={props.onClose}>
      {props.children}
    </dialog>
  );
}
