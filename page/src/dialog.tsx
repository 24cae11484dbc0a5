/** A dialog over the page. */
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Uses the dialog of the browser, which keeps the focus inside and restores it at the end. */
export function Dialog(props: { label: string; onClose(): void; children: ComponentChildren }) {
  const place = useRef<HTMLDialogElement>(null);
  useEffect(() => place.current?.showModal(), []);
  return (
    <dialog ref={place} aria-label={props.label} onClose={props.onClose}>
      {props.children}
    </dialog>
  );
}
