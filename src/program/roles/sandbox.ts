import type { Settings } from '../../bot/settings/settings.ts';
import type { SandboxOptions } from '../../sandbox/sandbox-options.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { isLoopbackHost } from '../../base/public-address.ts';
import { CHAT_PAGE } from './chat-page.ts';
import { type Role, type RoleContext, printReady } from './role.ts';

/**
 * The rate limit for publishing commands. The sandbox starts without commands, and publishing all of them under
 * Discord's own limit would take ten seconds.
 */
export const COMMAND_LIMIT = { requests: 100, windowMs: 5_000 } as const;

/** Starts a local Discord that contains a few communities. */
export async function startSandbox({ log, settings }: RoleContext): Promise<Sandbox> {
  const { createSandbox } = await import('../../sandbox/sandbox.ts');
  const sandbox = await createSandbox({
    logger: log.child({ part: 'sandbox' }),
    commandLimit: COMMAND_LIMIT,
    ...addressOf(settings.chatPage),
  });
  sandbox.seed();
  return sandbox;
}

/**
 * Returns where the sandbox and its page listen. On loopback, the sandbox and its page share one address. Otherwise
 * only the page is reachable from the network.
 */
function addressOf({
  host,
  port,
  url,
}: Settings['chatPage']): Pick<SandboxOptions, 'host' | 'port' | 'page'> {
  const isLoopback = isLoopbackHost(host) && url === null;
  if (isLoopback) return { host, port, page: CHAT_PAGE };
  return { page: { ...CHAT_PAGE, open: { host, port, ...(url === null ? {} : { url }) } } };
}

/** `sandbox`: runs only the local Discord. */
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
