/** Links in a frame. A link inside Daybook changes the address; the host opens other links. */
import type { App } from '@modelcontextprotocol/ext-apps';
import { address } from '../navigation/address.js';
import { notify } from '../notices.jsx';

/** Handles all clicks on links, because a frame may not navigate or open windows. It is called once. */
export function followLinks(app: App): void {
  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest('a[href]') : null;
    if (link === null) return;
    event.preventDefault();
    const href = link.getAttribute('href') ?? '';
    if (href.startsWith('#/')) address.go(href);
    else if (/^(?:https?:|mailto:)/i.test(href)) void openOutside(app, href);
  };
  document.addEventListener('click', follow);
  document.addEventListener('auxclick', follow);
}

async function openOutside(app: App, url: string): Promise<void> {
  const answer = await app.openLink({ url }).catch(() => ({ isError: true }));
  if (answer.isError) notify({ text: `The assistant did not open ${url}` });
}
