/** Decides whether a provider that a tool adds needs the user's permission at the command line. */
import { isLocalEndpoint } from '../../providers/llm/provider-kinds.js';
import type { Provider } from './provider-list.js';

/** A model on this machine needs no permission if it has no key and the caller is not remote. */
export function needsPermission({ endpoint, apiKeyEnv }: Provider, isRemote: boolean): boolean {
  return !isLocalEndpoint(endpoint) || apiKeyEnv !== undefined || isRemote;
}
