/** The permissions of all files and folders that Daybook makes: only their owner has access. */
export const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;
/** The permissions of all users but the owner. */
export const OTHERS = 0o077;
