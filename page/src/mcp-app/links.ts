/** Links in a frame: those within Daybook change its address, others are opened by the host. */
import type { App } from '@modelcontextprotocol/ext-apps';
import { address } from '../address.js';
import { notify } from '../parts.jsx';

/** Call it once. A frame may neither navigate nor open windows, so no link is left to the browser. */
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
