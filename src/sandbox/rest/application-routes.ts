import type { Payload } from '../chat/payload.ts';
import type { Application } from '../chat/user.ts';
import { applicationPayload } from '../chat/application-payload.ts';
import { selfPayload, userPayload } from '../chat/payloads.ts';
import { ApiError } from '../chat/api-error.ts';
import { type Route, caller, param } from './route.ts';

/** The gateway's information for clients. */
interface GatewayInfo {
  /** The URL at which bots connect. */
  readonly url: () => string;
  /** The number of shards that `GET /gateway/bot` returns. */
  readonly recommendedShards: (application: Application) => number;
  readonly sessionStartLimit: (application: Application) => Payload;
}

/** Returns the routes for logging in: the gateway's address, the bot's user and its application. */
export function applicationRoutes(gateway: GatewayInfo): Route[] {
  return [
    {
      method: 'GET',
      path: '/gateway',
      auth: 'none',
      handle: () => ({ status: 200, body: { url: gateway.url() } }),
    },
    {
      method: 'GET',
      path: '/gateway/bot',
      auth: 'bot',
      handle: (call) => ({
        status: 200,
        body: {
          url: gateway.url(),
          shards: gateway.recommendedShards(caller(call)),
          session_start_limit: gateway.sessionStartLimit(caller(call)),
        },
      }),
    },
    {
      method: 'GET',
      path: '/users/@me',
      auth: 'bot',
      handle: (call) => ({ status: 200, body: selfPayload(caller(call).bot) }),
    },
    {
      method: 'GET',
      path: '/users/:userId',
      auth: 'bot',
      handle: (call) => {
        const user = call.world.users.get(param(call, 'userId'));
        if (!user) throw new ApiError('unknownUser');
        return { status: 200, body: userPayload(user) };
      },
    },
    ...['/applications/@me', '/oauth2/applications/@me'].map((path): Route => ({
      method: 'GET',
      path,
      auth: 'bot',
      handle: (call) => ({ status: 200, body: applicationPayload(call.world, caller(call)) }),
    })),
  ];
}
