import type { ComponentBody } from '../chat/component-body.ts';
import { allComponents } from '../chat/components.ts';
import type { Message } from '../chat/message.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import type { MessageView } from './message-view.ts';

/** Returns the bot that receives uses of a message's components. Throws if the message is not from a bot. */
export function applicationOf(world: World, message: Message): Application {
  const application = [...world.applications.values()].find((entry) => entry.bot.id === message.author.id);
  if (!application) throw new Error('Cannot use a component: the message is not from a bot');
  return application;
}

/** Returns the first matching component of a message, nested components included. */
export function findComponent(
  message: MessageView,
  matches: (component: ComponentBody) => boolean,
): ComponentBody | undefined {
  return allComponents(message.components as readonly ComponentBody[]).find(matches);
}
