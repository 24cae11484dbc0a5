/**
 * The context of a project that is a git repository: the URL of its remote without scheme, user and `.git`,
 * such as `git:github.com/owner/name`. It is the same for every clone on every machine, and contains no local
 * path. files/paths/find-project.ts finds the remote, also from a worktree or a subfolder.
 */

const GIT_CONTEXT = /^git:([^/\s:]+)\/(\S+)$/i;
/** `user@host:path`: git treats it as an ssh URL. */
const SCP_LIKE = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(\S+)$/;
const HAS_HOST = new Set(['https:', 'http:', 'ssh:', 'git:', 'git+ssh:', 'ftp:', 'ftps:']);

/** Returns the context for a remote; `undefined` for a local folder, which other machines do not have. */
export function gitContextOf(remote: string): string | undefined {
  if (URL.canParse(remote)) {
    const { protocol, hostname, pathname } = new URL(remote);
    if (HAS_HOST.has(protocol)) return hostname === '' ? undefined : contextOf(hostname, pathname);
    if (protocol === 'file:') return undefined;
  }
  const [, host, path] = SCP_LIKE.exec(remote) ?? [];
  // A single letter before the colon is a drive of Windows.
  return host === undefined || path === undefined || host.length === 1
    ? undefined
    : contextOf(host, path);
}

/** Normalizes a context that begins with `git:`; returns `undefined` if it is not valid. */
export function normalGitContext(text: string): string | undefined {
  const [, host, path] = GIT_CONTEXT.exec(text) ?? [];
  return host === undefined || path === undefined ? undefined : contextOf(host, path);
}

function contextOf(host: string, path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.join('/').replace(/\.git$/, '');
  return name === '' || /\s|\p{Cc}/u.test(name) ? undefined : `git:${host.toLowerCase()}/${name}`;
}
