/** Names, options and help of `daybook serve`. */
import type { Command } from 'commander';
import { examplesOf } from '../command-help.js';
import type { ServeOptions } from '../commands/serve.js';
import type { Flags } from '../options/configuration.js';

export function addServe(program: Command, flags: () => Flags, isDefault: boolean): void {
  program
    .command('serve', { isDefault })
    .description('serve MCP on stdin and stdout (the default), or over HTTP')
    .option('--http', 'serve over HTTP: Streamable HTTP at /mcp')
    .option('--mode <mode>', 'stdio or http; --http is the same as --mode http')
    .option('--port <number>', 'port of the HTTP server (default: 3000)')
    .option(
      '--host <name>',
      'address on which the HTTP server listens (default: 127.0.0.1); other addresses need a token',
    )
    .option('--stateless', 'answer each HTTP request by itself, without sessions')
    .addHelpText(...examplesOf('serve', 'serve --http --port 3000'))
    .action(async (options: ServeOptions) =>
      (await import('../commands/serve.js')).serve(options, flags()),
    );
}
