/**
 * The check of the user's configuration: registered folders that do not exist, and notices of settings, such as
 * mistyped names (config/settings/settings-without-effect.ts) or a key of a store that is not encrypted.
 */
import { dirname } from 'node:path';
import type { Config } from '../../config/config.js';
import { foldersFile, parseFolders } from '../../config/find-root.js';
import type { Check, Severity } from '../../doctor/check.js';
import { isFolder } from '../../files/paths/folders.js';
import { readTextIfPresent } from '../../files/safe-access/given-file.js';

export const configurationCheck = (config: Config, unusedKey: string | undefined): Check => ({
  name: 'configuration',
  async run({ countChecked, found }) {
    const file = foldersFile(dirname(config.configFile));
    for (const path of parseFolders(readTextIfPresent(file), file)) {
      countChecked();
      if (await isFolder(path)) continue;
      found({
        severity: 'warning',
        path,
        message: `${file} registers a folder that does not exist.`,
        hint: 'If the folder was moved, run daybook --root NEW-FOLDER init. Then remove the old line from the file.',
      });
    }
    const ofSetting = (severity: Severity, message: string) => {
      countChecked();
      const hint = 'If you do not want this, remove the setting.';
      found({ severity, path: config.configFile, message, hint });
    };
    for (const notice of config.notices) ofSetting('note', notice);
    if (unusedKey !== undefined) ofSetting('warning', unusedKey);
  },
});
