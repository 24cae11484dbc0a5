/** The settings for toolsets and views, and their part of the configuration. */
import { z } from 'zod';
import { onOff, setting, settingError, text, type ValuesOf } from './define-setting.js';

export const TOOLSET_SETTINGS = {
  toolsets: setting({
    schema: () => z.union([text(), z.array(text()).transform((names) => names.join(','))]),
    takes: 'names of toolsets separated by commas (in the file also a JSON list), or all',
    about: 'Which toolsets are offered (default: all but `admin`).',
    env: ['DAYBOOK_TOOLSETS'],
    flag: '--toolsets',
  }),
  views: setting({
    ...onOff,
    default: true,
    about:
      'Whether assistants with MCP Apps can show conversations, the graph and the figures in their window; with `0` they get only text (default `1`).',
    env: ['DAYBOOK_VIEWS'],
  }),
};

export interface ToolsetConfig {
  /** The enabled toolsets, in the order of `knownToolsets`. */
  readonly toolsets: readonly string[];
  /** Whether views are offered to clients that can show them. */
  readonly views: boolean;
}

/** `name`: of the setting that the user used. VALIDATION_ERROR for an unknown toolset. */
export function toolsetConfig(
  { toolsets, views }: ValuesOf<typeof TOOLSET_SETTINGS>,
  known: readonly string[],
  name = 'toolsets',
): ToolsetConfig {
  return { toolsets: chooseToolsets(toolsets, known, name), views };
}

function chooseToolsets(
  chosen: string | undefined,
  known: readonly string[],
  name: string,
): readonly string[] {
  if (chosen === undefined) return known.filter((each) => each !== 'admin');
  const wanted = chosen.split(',').flatMap((part) => (part.trim() ? [part.trim()] : []));
  if (wanted.includes('all')) return known;
  const unknown = wanted.find((each) => !known.includes(each));
  if (unknown === undefined) return known.filter((each) => wanted.includes(each));
  throw settingError(
    `${name} must be all, or some of ${known.join(', ')}. There is no toolset "${unknown}".`,
    { setting: 'toolsets', unknown },
  );
}
