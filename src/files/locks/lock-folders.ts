/**
 * Where locks and leases are: in two hidden folders of the folder whose files they protect. The folders contain no
 * data, so they are not backed up, searched or watched.
 */
import { join } from 'node:path';

export const LOCKS_FOLDER = '.locks';
export const LEASES_FOLDER = '.leases';

export const locksFolderIn = (folder: string): string => join(folder, LOCKS_FOLDER);

/** `name`: the work that only one process does, such as `backup`. */
export const leasePathIn = (folder: string, name: string): string =>
  join(folder, LEASES_FOLDER, name);
