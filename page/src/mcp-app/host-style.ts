/** What a host says about its window: light or dark, its font, and how much room there is. */
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';

/** A view in the flow of a conversation is at most so high, in pixels, and scrolls inside. */
const MOST_HEIGHT = 640;

export function applyHostStyle({
  theme,
  styles,
  displayMode,
  containerDimensions,
}: McpUiHostContext): void {
  const root = document.documentElement;
  if (theme !== undefined) root.dataset['theme'] = theme;
  const font = styles?.variables?.['--font-sans'];
  if (font !== undefined) root.style.setProperty('--font-sans', font);
  const room: { height?: number; maxHeight?: number | undefined } = containerDimensions ?? {};
  const isFilled = displayMode === 'fullscreen' || room.height !== undefined;
  root.dataset['size'] = isFilled ? 'filled' : 'grows';
  const most = Math.min(room.maxHeight ?? MOST_HEIGHT, MOST_HEIGHT);
  root.style.setProperty('--most-height', `${most}px`);
}
