/** The notice of a server at its end about writes that waited for the store and could not be made. */
import type { App } from '../../app.js';
import { countOf } from '../../base/text/display-text.js';

/** If writes are lost, shows them on stderr and sets the exit status 1. */
export function reportLostWrites({ deferredWrites }: App): void {
  const lost = deferredWrites.unwritten();
  if (lost.length === 0) return;
  process.exitCode = 1;
  console.error(
    `daybook: ${countOf(lost.length, 'write is', 'writes are')} lost, because the store was not available:`,
  );
  for (const { name, reason } of lost) {
    console.error(`  ${name}${reason ? ` (${reason})` : ''}`);
  }
}
