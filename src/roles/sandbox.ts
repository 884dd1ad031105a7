import type { Sandbox } from '../sandbox/sandbox.ts';
import { CHAT_PAGE } from './chat-page.ts';
import { type Role, type RoleContext, printReady } from './role.ts';

/** A chat that is new at every start would else make the bot wait for ten seconds to publish its commands. */
export const COMMAND_LIMIT = { requests: 100, windowMs: 5_000 } as const;

/** Starts a local Discord with a few communities to try things in. */
export async function startSandbox({ log }: RoleContext): Promise<Sandbox> {
  const { createSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await createSandbox({
    logger: log.child({ part: 'sandbox' }),
    commandLimit: COMMAND_LIMIT,
    page: CHAT_PAGE,
  });
  sandbox.seed();
  return sandbox;
}

/** `sandbox`: only the local Discord. */
export const sandbox: Role = async (context) => {
  const started = await startSandbox(context);
  printReady(context, {
    ready: 'sandbox',
    api_url: started.apiUrl,
    cdn_host: started.cdnHost,
    ca_file: started.caFile,
    token: started.token,
    control_url: started.controlUrl,
    chat: started.chatUrl,
  });
  return started;
};
