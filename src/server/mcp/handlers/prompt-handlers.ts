/** The MCP handlers of prompts and completions. `resources/` defines their content. */
import type { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CompleteRequestSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { AppError } from '../../../base/errors.js';
import { type Completer, completion } from '../../../resources/completions.js';
import { type Prompt, prompts, requirePrompt } from '../../../resources/prompts.js';
import { resourceKinds, resourceTemplates } from '../../../resources/resources.js';
import { type RequestRunner, refuseCursor } from '../request-runner.js';
import { storeNotice } from '../store-notice.js';

export function promptsOf(toolsets: readonly string[]): Prompt[] {
  return prompts.filter(({ toolset }) => toolsets.includes(toolset));
}

export function registerPrompts(
  server: Server,
  runner: RequestRunner,
  offered: readonly Prompt[],
): void {
  server.setRequestHandler(ListPromptsRequestSchema, ({ params }) => {
    refuseCursor(params?.cursor);
    return { prompts: offered.map(promptListing) };
  });
  server.setRequestHandler(GetPromptRequestSchema, ({ params }, extra) =>
    runner.run(extra, async (app, call) => {
      const args = params.arguments ?? {};
      const prompt = requirePrompt(offered, params.name, args);
      const given = await prompt.get(args, app, call);
      const notice = storeNotice(app);
      const contents =
        notice === undefined ? given : [...given, { type: 'text' as const, text: notice }];
      const messages = contents.map((content) => ({ role: 'user' as const, content }));
      return { description: prompt.description, messages };
    }),
  );
}

export function registerCompletions(
  server: Server,
  runner: RequestRunner,
  offered: readonly Prompt[],
): void {
  server.setRequestHandler(CompleteRequestSchema, ({ params: { ref, argument } }, extra) =>
    runner.run(extra, async (app) => {
      const complete =
        ref.type === 'ref/prompt'
          ? completerOfPrompt(requirePrompt(offered, ref.name), argument.name)
          : completerOfTemplate(ref.uri, argument.name);
      const found = complete ? await complete(app, argument.value) : completion([]);
      return { completion: { ...found } };
    }),
  );
}

const completerOfPrompt = (prompt: Prompt, name: string): Completer | undefined =>
  prompt.arguments.find((argument) => argument.name === name)?.complete;

function completerOfTemplate(uri: string, name: string): Completer | undefined {
  const isOf = ({ uriTemplate }: { uriTemplate: string }) => uriTemplate === uri;
  const kind = resourceKinds.find(({ templates }) => templates.some(isOf));
  if (kind !== undefined)
    return Object.hasOwn(kind.completers, name) ? kind.completers[name] : undefined;
  throw new AppError('VALIDATION_ERROR', 'There is no such resource template.', {
    details: { known: resourceTemplates.map(({ uriTemplate }) => uriTemplate) },
  });
}

function promptListing({ name, title, description, arguments: args }: Prompt) {
  return {
    name,
    title,
    description,
    arguments: args.map(({ complete: _, ...argument }) => argument),
  };
}
