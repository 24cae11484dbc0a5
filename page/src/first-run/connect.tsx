/** Shows commands and settings to copy, which connect an assistant on this machine to this store. */

import { CopyButton } from '../components.jsx';
import { call } from '../server/api.js';
import { useLoaded } from '../server/use-loaded.js';

export function Connect() {
  const { data } = useLoaded('connect', (signal) => call('store_info', {}, signal));
  const start = data?.start;
  if (start === undefined) {
    return (
      <p>
        Connect an assistant with <code>daybook init</code>, and it saves conversations here.
      </p>
    );
  }
  const { command, args, initLine, startLine } = start;
  const entry = { command, args };
  return (
    <section aria-labelledby="connect" class="connect">
      <h3 id="connect">Connect an assistant</h3>
      <p>
        This command finds the assistants on this machine, shows what it would change in their
        settings, and asks:
      </p>
      <ToCopy name="Command for all" text={initLine} />
      <h4>Claude Code</h4>
      <ToCopy name="Command for Claude Code" text={`claude mcp add daybook -- ${startLine}`} />
      <h4>Claude Desktop, Cursor, Gemini CLI and others</h4>
      <p>
        In the file of settings: <code>claude_desktop_config.json</code> (Settings → Developer →
        Edit Config), <code>~/.cursor/mcp.json</code>, <code>mcp_config.json</code> or{' '}
        <code>~/.gemini/settings.json</code>.
      </p>
      <ToCopy name="Settings with mcpServers" text={pretty({ mcpServers: { daybook: entry } })} />
      <h4>VS Code</h4>
      <p>
        In <code>mcp.json</code> (MCP: Open User Configuration).
      </p>
      <ToCopy
        name="Settings for VS Code"
        text={pretty({ servers: { daybook: { type: 'stdio', ...entry } } })}
      />
    </section>
  );
}

const pretty = (value: object) => JSON.stringify(value, null, 2);

function ToCopy({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <section class="to-copy" aria-label={name}>
      <pre tabIndex={0}>{text}</pre>
      <CopyButton label="Copy" text={text} />
    </section>
  );
}
