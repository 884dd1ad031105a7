import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import type { Faults } from '../fault-script.ts';
import type { ChatPage } from '../page/chat-page.ts';
import type { PageGuard } from '../page/page-guard.ts';

/** What the control API acts on. */
export interface ControlOptions {
  readonly world: World;
  readonly application: Application;
  readonly faults: Faults;
  readonly isOnline: () => boolean;
  readonly page: ChatPage;
  /** Of the address at which it is served. */
  readonly guard: PageGuard;
}

/** One method and path below `/control`; what the handler returns or resolves with is the answer. */
export type ControlRoute = readonly [
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  handler: (request: FastifyRequest, reply: FastifyReply) => unknown,
];

/** A path parameter; routes declare theirs, so a missing one is a programmer's mistake. */
export function part(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string | undefined>)[name];
  if (value === undefined) throw new TypeError(`Cannot read path parameter "${name}"`);
  return value;
}
