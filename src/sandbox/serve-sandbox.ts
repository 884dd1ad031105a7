import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { listen } from '../base/listen.ts';
import type { Application } from './chat/user.ts';
import type { World } from './chat/world.ts';
import { registerControl } from './control/control-server.ts';
import type { Faults } from './faults.ts';
import type { FaultPlan } from './fault-plan.ts';
import type { GatewayServer } from './gateway/gateway-server.ts';
import type { Exchange } from './rest-exchange.ts';
import type { ChatPage } from './page/chat-page.ts';
import type { PageServer } from './page/page-server.ts';
import type { PageGuard } from './page/page-guard.ts';
import { applicationRoutes } from './rest/application-routes.ts';
import { registerCdn } from './rest/cdn.ts';
import { commandRoutes } from './rest/command-routes.ts';
import { guildRoutes } from './rest/guild-routes.ts';
import { interactionRoutes } from './rest/interaction-routes.ts';
import { messageRoutes } from './rest/message-routes.ts';
import { RestServer } from './rest/rest-server.ts';
import type { Route } from './rest/route.ts';
import { voiceRoutes } from './rest/voice-routes.ts';
import type { SandboxOptions } from './sandbox-options.ts';

/** The objects that the served routes need. */
interface Served {
  readonly world: World;
  readonly gateway: GatewayServer;
  readonly application: Application;
  readonly faults: Faults;
  readonly plan: FaultPlan;
  readonly page: ChatPage;
  readonly wireClock: Clock;
}

/** The loopback server with its host and, if the chat page is opened to a network, the page's own server. */
interface ServedAt {
  readonly app: FastifyInstance;
  readonly host: string;
  readonly pageServer: PageServer | undefined;
}

const LIVE_PATH = '/control/live';

/**
 * Listens on loopback and, if the chat page is opened to a network, on the page's own address. Returns `host:port` of
 * the loopback server. Throws `ListenError`.
 */
export async function serveSandbox(
  { app, host, pageServer }: ServedAt,
  served: Served,
  options: SandboxOptions,
): Promise<string> {
  const { world, gateway, page, plan, wireClock } = served;
  const routes = botRoutes(served, options);
  plan.knowRoutes(routes.map((route) => route.path));
  const observe = (exchange: Exchange): void => {
    page.noteExchange(exchange);
    options.observe?.(exchange);
  };
  const rest = new RestServer({ world, faults: plan, wireClock, observe });
  await app.register(async (scope) => rest.register(scope, routes));
  await addPageRoutes(app, page.guard, served);
  gateway.attach(app.server, { [LIVE_PATH]: page.upgrade(page.guard) });
  const { origin } = await listen(app, { host, port: options.port ?? 0 });
  const authority = new URL(origin).host;
  world.cdnBase = `http://${authority}`;
  const { open } = options.page ?? {};
  if (pageServer && open) {
    await pageServer.open(open, {
      register: (pageApp, guard) => addPageRoutes(pageApp, guard, served),
      livePath: LIVE_PATH,
      upgrade: (guard) => page.upgrade(guard),
    });
  }
  return authority;
}

/** Returns the routes of Discord's REST API. */
function botRoutes({ gateway }: Served, { commandLimit }: SandboxOptions): readonly Route[] {
  return [
    ...applicationRoutes({
      url: () => gateway.url(),
      recommendedShards: (bot) => gateway.recommendedShards(bot),
      sessionStartLimit: (bot) => ({ ...gateway.sessionStartLimit(bot) }),
    }),
    ...commandRoutes(commandLimit),
    ...interactionRoutes(),
    ...messageRoutes(),
    ...guildRoutes(),
    ...voiceRoutes(),
  ];
}

/** Adds the routes for files, the control API and the chat page. */
async function addPageRoutes(app: FastifyInstance, guard: PageGuard, served: Served): Promise<void> {
  const { world, gateway, application, faults, plan, page, wireClock } = served;
  const isOnline = (): boolean => gateway.isOnline(application);
  await app.register(async (scope) => registerCdn(scope, { world, faults: plan, wireClock }));
  await app.register(async (scope) => {
    registerControl(scope, { world, application, faults, isOnline, page, guard });
  });
  await page.register(app, guard);
}
