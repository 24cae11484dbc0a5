/** One sentence for people, shown before anything is sent: what is sent, to which server, and when. */
import { isLocalEndpoint } from '../../providers/llm/provider-kinds.js';
import type { Provider } from '../../stores/llm-providers/provider-list.js';

export function disclosureOf({ endpoint, model, apiKeyEnv }: Provider): string {
  const { host } = new URL(endpoint);
  if (isLocalEndpoint(endpoint)) {
    return `To make a summary, Daybook sends the messages of that conversation to ${host} on this machine (model ${model}).`;
  }
  const key = apiKeyEnv === undefined ? 'without a key' : `with the key in ${apiKeyEnv}`;
  return `To make a summary, Daybook sends the messages of that conversation to ${host} (model ${model}), ${key}. The messages LEAVE THIS MACHINE.`;
}
