import type { Sandbox } from '../sandbox/sandbox.ts';
import { type Role, type RoleContext, printReady } from './role.ts';

/** Starts a local Discord with a few communities to try things in. */
export async function startSandbox({ log }: RoleContext): Promise<Sandbox> {
  const { createSandbox } = await import('../sandbox/sandbox.ts');
  const sandbox = await createSandbox({ logger: log.child({ part: 'sandbox' }) });
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
    token: started.token,
    control_url: started.controlUrl,
  });
  return started;
};
