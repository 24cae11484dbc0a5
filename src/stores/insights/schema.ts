/**
 * What an insight is, and to which context it belongs. Field names are those of the design that
 * insights come from: `created_at` and its like, in epoch milliseconds.
 */
import { posix, win32 } from 'node:path';
import type { JsonObject } from '../conversations/document/schema.js';
import { normalGitContext } from './git-context.js';

/** The context of what belongs to no project. */
export const GLOBAL_CONTEXT = 'global';
/** Lower case only, because some file systems ignore case. */
export const INSIGHT_ID =
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_CONTEXT_LENGTH = 4096;
const PROJECT_NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._-]{0,99}$/u;

export interface Insight {
  readonly id: string;
  readonly content: string;
  /** `global`, the repository or the absolute path of a project, as `normalContext` gives it. */
  readonly context: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
  /** From then on lists and searches pass it over; it is never deleted for that. */
  readonly expires_at?: number;
}

/**
 * One spelling for each context: `/a/b/` and `/a/./b` are `/a/b`, `c:/a` is `C:\a`. Of paths of any
 * platform, as callers may be on another; no file is read. `undefined` for what is neither `global`,
 * nor a repository (`git:host/owner/name`), nor a named project (`project:name`), nor an absolute path.
 */
export function normalContext(text: string): string | undefined {
  if (text.toLowerCase() === GLOBAL_CONTEXT) return GLOBAL_CONTEXT;
  if (text.length > MAX_CONTEXT_LENGTH || text.includes('\0')) return undefined;
  if (/^git:/i.test(text)) return normalGitContext(text);
  if (/^project:/i.test(text)) return projectContextOf(text.slice('project:'.length));
  // Two slashes at the start are a share of Windows, or a slip; POSIX leaves their meaning open.
  if (posix.isAbsolute(text)) return posix.normalize(text).replace(/(?<=.)\/$/, '');
  if (!/^([A-Za-z]:[\\/]|\\\\)/.test(text)) return undefined;
  const path = win32.normalize(text).replace(/(?<=[^:])\\$/, '');
  return path.replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/** The context of a project that has a name of its own; `undefined` where it is no name. */
export function projectContextOf(name: string): string | undefined {
  const plain = name.normalize('NFC').toLowerCase();
  return PROJECT_NAME.test(plain) ? `project:${plain}` : undefined;
}

export const isExpired = ({ expires_at }: Insight, now: number): boolean =>
  expires_at !== undefined && expires_at <= now;
