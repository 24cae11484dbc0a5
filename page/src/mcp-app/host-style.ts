/** Applies the style of the host: light or dark theme, font and size. */
import type { McpUiHostContext } from '@modelcontextprotocol/ext-apps';

/** Maximum height in pixels of a view inside a conversation; the view scrolls inside. */
const MAX_HEIGHT = 640;

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
  const most = Math.min(room.maxHeight ?? MAX_HEIGHT, MAX_HEIGHT);
  root.style.setProperty('--most-height', `${most}px`);
}
