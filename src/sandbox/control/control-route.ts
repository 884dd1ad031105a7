import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import type { Faults } from '../faults.ts';
import type { ChatPage } from '../page/chat-page.ts';
import type { PageGuard } from '../page/page-guard.ts';

/** The objects that the control API works with. */
export interface ControlOptions {
  readonly world: World;
  readonly application: Application;
  readonly faults: Faults;
  readonly isOnline: () => boolean;
  readonly page: ChatPage;
  /** The guard for the address at which this API is served. */
  readonly guard: PageGuard;
}

/** A method, a path below `/control` and a handler. The handler's result is the response. */
export type ControlRoute = readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
];

/** Returns a path parameter. Routes declare their parameters, so a missing one is a programming error. */
export function part(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new TypeError(`Cannot read path parameter "${name}"`);
  return value;
}
