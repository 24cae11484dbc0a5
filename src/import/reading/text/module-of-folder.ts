/** Names the project of a conversation whose source names only the folder in which it was held. */
import type { ImportedConversation } from '../../source-interface.js';

/** Claude Code makes a worktree here, with a name of its own, for a session. */
const WORKTREE = /([^\\/]+)[\\/]\.claude[\\/]worktrees[\\/][^\\/]+[\\/]*$/;

/** `folder`: the path of a folder of any system. The root folder has no name, so it gives no module. */
export const moduleOfFolder = (
  folder: string | undefined,
): Pick<ImportedConversation, 'module' | 'project'> =>
  folder === undefined
    ? {}
    : {
        module: WORKTREE.exec(folder)?.[1] ?? folder.split(/[\\/]/).findLast((part) => part !== ''),
        project: folder,
      };
