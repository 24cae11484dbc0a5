/** Stored text on a terminal: lines and tabs are kept; all other control characters are escaped. */
import { describe, expect, it } from 'vitest';
import { escapeLines } from '../../src/cli/terminal/terminal-text.js';

describe('escapeLines', () => {
  it('keeps tabs of code as spaces, and accepts Windows line ends', () => {
    expect(escapeLines('if (x) {\r\n\treturn;\r\n}')).toBe('if (x) {\n    return;\n}');
  });

  it('escapes a single carriage return, which would overwrite the line', () => {
    expect(escapeLines('safe\rrm -rf /\u001b[2J')).toBe('safe\\u000drm -rf /\\u001b[2J');
  });
});
