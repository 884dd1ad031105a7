import { randomId } from '../../base/ids.ts';
import { createUser } from './guilds.ts';
import type { Application } from './user.ts';
import type { World } from './world.ts';

/** Properties of a new application that differ from the defaults. */
interface ApplicationOptions {
  /** Default: a new id. */
  readonly applicationId?: string;
  /** Default: a new token. */
  readonly token?: string;
  /** Default false. */
  readonly privilegedIntents?: boolean;
}

/** Creates an application with its bot user. The bot is not in any guild yet. */
export function createApplication(world: World, name: string, options: ApplicationOptions = {}): Application {
  const id = options.applicationId ?? world.ids.next();
  const application: Application = {
    id,
    name,
    token: options.token ?? `${Buffer.from(id).toString('base64url')}.${randomId('sandbox')}`,
    bot: createUser(world, name, true),
    privilegedIntents: options.privilegedIntents ?? false,
    owner: null,
    commands: new Map(),
  };
  world.applications.set(id, application);
  return application;
}
