/** The address of a view within the page, after `#`. */
import { useLayoutEffect, useState } from 'preact/hooks';
import { address } from './address.js';

export interface Route {
  /** Such as `conversation`. */
  readonly view: string;
  /** The path after the view, decoded. */
  readonly name: string;
  readonly params: URLSearchParams;
}

export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?', 2);
  const [view = '', ...rest] = path.split('/');
  return { view, name: decode(rest.join('/')), params: new URLSearchParams(query) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** An address within the page. */
export function hrefOf(view: string, name = '', params: Record<string, string> = {}): string {
  const query = new URLSearchParams(Object.entries(params).filter(([, value]) => value !== ''));
  const path = name === '' ? view : `${view}/${encodeURIComponent(name)}`;
  return `#/${path}${query.size > 0 ? `?${query}` : ''}`;
}

export function useRoute(): Route {
  const [route, setRoute] = useState(() => parseRoute(address.current()));
  // A layout effect, because an effect runs after the first paint and misses an earlier change of address.
  useLayoutEffect(() => {
    return address.follow(() => setRoute(parseRoute(address.current())));
  }, []);
  return route;
}
