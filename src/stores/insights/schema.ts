/**
 * The types of an insight, and the forms of its context. Times are epoch milliseconds. The field names
 * (`created_at` and others) are those of an earlier design.
 */

import { posix, win32 } from 'node:path';
import type { JsonObject } from '../../base/json-fields.js';
import { normalGitContext } from './git-context.js';
import { projectContextOf } from './project-name.js';

/** The context of insights that belong to no project. */
export const GLOBAL_CONTEXT = 'global';
/** Lower case only, because some file systems ignore case. */
export const INSIGHT_ID =
  /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const MAX_CONTEXT_LENGTH = 4096;

export interface Insight {
  readonly id: string;
  readonly content: string;
  /** `global`, `git:…`, `project:…` or the absolute path of a project, normalized by `normalContext`. */
  readonly context: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
  /** After this time lists and searches leave it out. It is not deleted. */
  readonly expires_at?: number;
}

/** An insight with the unknown fields of its file. */
export interface StoredInsight {
  readonly insight: Insight;
  /** The fields that this version does not know. They are kept. */
  readonly extra: JsonObject;
}

/**
 * Normalizes a context: `/a/b/` and `/a/./b` become `/a/b`, `c:/a` becomes `C:\a`. It accepts paths of all
 * platforms, because a caller may be on another one. No I/O. Returns `undefined` unless the text is `global`,
 * a repository (`git:host/owner/name`), a named project (`project:name`) or an absolute path.
 */
export function normalContext(text: string): string | undefined {
  if (text.toLowerCase() === GLOBAL_CONTEXT) return GLOBAL_CONTEXT;
  if (text.length > MAX_CONTEXT_LENGTH || text.includes('\0')) return undefined;
  if (/^git:/i.test(text)) return normalGitContext(text);
  if (/^project:/i.test(text)) return projectContextOf(text.slice('project:'.length));
  // POSIX leaves the meaning of two slashes at the start open. Here they become one.
  if (posix.isAbsolute(text)) return posix.normalize(text).replace(/(?<=.)\/$/, '');
  if (!/^([A-Za-z]:[\\/]|\\\\)/.test(text)) return undefined;
  const path = win32.normalize(text).replace(/(?<=[^:])\\$/, '');
  return path.replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}

/** The contexts that `normalContext` accepts, for messages. */
export const KNOWN_CONTEXTS =
  '"global", an absolute path, "git:host/owner/repository" or "project:name"';

export const isExpired = ({ expires_at }: Insight, now: number): boolean =>
  expires_at !== undefined && expires_at <= now;
