/**
 * Deleted insights: `.trash/insights/<id>.<UTC time of deletion>.json`, the file of the insight as it
 * was. This lists them and removes them permanently; insights.ts moves them in and back.
 */
import { join } from 'node:path';
import { isoOfCompact } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { listFiles, removeFile } from '../../files/paths/folders.js';
import { readWhole } from '../../files/read/json-doc.js';
import { readStampNow } from '../../files/read/stamp.js';
import type { InsightCore } from './insight-core.js';
import { parseInsight } from './insight-file.js';
import { INSIGHT_ID } from './schema.js';

export interface TrashedInsight {
  /** Of the file in the trash. */
  readonly name: string;
  readonly id: string;
  /** Absent if a person moved the file here. */
  readonly deletedAt?: string;
  /** Absent if the file cannot be read. */
  readonly content?: string;
  readonly sizeBytes: number;
}

export const idOfTrashed = (name: string): string => name.slice(0, name.indexOf('.'));

/** In no order. Files that are not named like an insight are left out. FILESYSTEM_ERROR. */
export async function listTrashedInsights(core: InsightCore): Promise<TrashedInsight[]> {
  const found: TrashedInsight[] = [];
  for (const name of await listFiles(core.trashFolder)) {
    const id = idOfTrashed(name);
    if (!INSIGHT_ID.test(id)) continue;
    const path = join(core.trashFolder, name);
    const deletedAt = isoOfCompact(name.split('.')[1] ?? '');
    const content = await contentOf(path, id);
    const sizeBytes = Number(readStampNow(path)?.size ?? 0);
    const facts = { ...(deletedAt && { deletedAt }), ...(content !== undefined && { content }) };
    found.push({ name, id, ...facts, sizeBytes });
  }
  return found;
}

/** Removes it permanently. False if it is not in the trash. LOCKED, FILESYSTEM_ERROR. */
export async function purgeInsight(core: InsightCore, name: string): Promise<boolean> {
  return core.locked(idOfTrashed(name), async () => {
    if (!(await listFiles(core.trashFolder)).includes(name)) return false;
    await removeFile(join(core.trashFolder, name));
    return true;
  });
}

async function contentOf(path: string, id: string): Promise<string | undefined> {
  try {
    const found = await readWhole(path);
    return found && parseInsight(found.bytes, { id, path, modifiedAt: 0 }).insight.content;
  } catch (error) {
    if (isAppError(error)) return undefined;
    throw error;
  }
}
