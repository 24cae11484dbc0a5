/**
 * The context of a project that is a git repository: the address of its remote without scheme, user
 * and ending, as `git:github.com/owner/name`. Every clone, worktree and subfolder has the same one,
 * on every machine, and no path of a person is in it.
 */

const GIT_CONTEXT = /^git:([^/\s:]+)\/(\S+)$/i;
/** `user@host:path`, which git takes for ssh. */
const SCP_LIKE = /^(?:[^@/\s]+@)?([^:/\s]+):(?!\/\/)(\S+)$/;
const HAS_HOST = new Set(['https:', 'http:', 'ssh:', 'git:', 'git+ssh:', 'ftp:', 'ftps:']);

/** `undefined` for a remote that is a folder: another machine does not have it. */
export function gitContextOf(remote: string): string | undefined {
  if (URL.canParse(remote)) {
    const { protocol, hostname, pathname } = new URL(remote);
    if (HAS_HOST.has(protocol)) return hostname === '' ? undefined : contextOf(hostname, pathname);
    if (protocol === 'file:') return undefined;
  }
  const [, host, path] = SCP_LIKE.exec(remote) ?? [];
  // A single letter is a drive of Windows.
  return host === undefined || path === undefined || host.length === 1
    ? undefined
    : contextOf(host, path);
}

/** One spelling of a context that begins with `git:`; `undefined` where it is none. */
export function normalGitContext(text: string): string | undefined {
  const [, host, path] = GIT_CONTEXT.exec(text) ?? [];
  return host === undefined || path === undefined ? undefined : contextOf(host, path);
}

function contextOf(host: string, path: string): string | undefined {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.join('/').replace(/\.git$/, '');
  return name === '' || /\s|\p{Cc}/u.test(name) ? undefined : `git:${host.toLowerCase()}/${name}`;
}
