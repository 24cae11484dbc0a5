/**
 * The address of the shown view: `#/<view>/<name>?<params>`. On the page this is the fragment of the
 * browser's URL. In a frame of an assistant it is a variable, because the URL belongs to the host.
 */
export interface Address {
  /** Such as `#/conversation/20250124-1737730800123?seq=3`. */
  current(): string;
  go(href: string): void;
  /** Goes to `href` without a new entry in the history. */
  replace(href: string): void;
  /**
   * Changes the parameters of the shown view without calling listeners. Does nothing if the address
   * already has another view, which is not shown yet.
   */
  setParams(href: string): void;
  /** Calls `listener` after each change, until the returned function is called. */
  follow(listener: () => void): () => void;
}

/** The address without parameters. An empty address means `#/`, the first view. */
const viewOf = (href: string) => href.replace(/\?.*/, '').replace(/^(#\/?)?$/, '#/');

/** The fragment of the browser's URL. */
export const browserAddress: Address = {
  current: () => location.hash,
  go(href) {
    location.hash = href;
  },
  replace(href) {
    // After setParams the address can be this one already, and the browser would report no change.
    if (location.hash === href) dispatchEvent(new HashChangeEvent('hashchange'));
    else location.replace(href);
  },
  setParams(href) {
    if (viewOf(href) === viewOf(location.hash)) history.replaceState(history.state, '', href);
  },
  follow(listener) {
    addEventListener('hashchange', listener);
    return () => removeEventListener('hashchange', listener);
  },
};

/** The address that all parts of the page use. */
export let address: Address;

/** Must be called before the first view is rendered. */
export function setAddress(other: Address): void {
  address = other;
}
