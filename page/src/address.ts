/**
 * Where the reader is: `#/<view>/<name>?<params>`. On the page this is the fragment of the browser's
 * address. In a frame of an assistant, whose address belongs to the host, it is a variable.
 */
export interface Address {
  /** Such as `#/conversation/20250124-1706102400123?seq=3`. */
  current(): string;
  go(href: string): void;
  /** The same without an entry in the history. */
  replace(href: string): void;
  /**
   * Notes the parameters of the view that is shown already: no listener is called. Does nothing if the reader
   * has gone to another view, which is not shown yet.
   */
  note(href: string): void;
  /** The returned function ends it. */
  follow(listener: () => void): () => void;
}

/** Without the parameters. The first view has the address `#/`, or none. */
const viewOf = (href: string) => href.replace(/\?.*/, '').replace(/^(#\/?)?$/, '#/');

/** The fragment of the browser's own address. */
export const browserAddress: Address = {
  current: () => location.hash,
  go(href) {
    location.hash = href;
  },
  replace: (href) => location.replace(href),
  note(href) {
    if (viewOf(href) === viewOf(location.hash)) history.replaceState(null, '', href);
  },
  follow(listener) {
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
  },
};

/** The parts of the page read and change the address here. */
export let address: Address;

/** To be called before the first view is rendered. */
export function setAddress(other: Address): void {
  address = other;
}
