import type { Interaction } from '../chat/interaction.ts';
import type { Message } from '../chat/message.ts';
import type { User } from '../chat/user.ts';
import { type ViewSource, botView, directMessagesOf, guildFor } from './guild-view.ts';
import { mayRead, maySee, messageFor } from './message-for.ts';
import type { Waiting } from './outbox.ts';
import type { PageEvent } from './page-wire.ts';
import { useFor } from './use-for.ts';

interface Changed {
  readonly waiting: Waiting<Message, Interaction>;
  /** The ids of the guilds that the page shows. `eventsFor` updates them. */
  readonly shown: Set<string>;
}

/**
 * Returns the events that contain the current state of everything that has changed in the chat and that `viewer` sees.
 */
export function eventsFor(
  source: ViewSource,
  viewer: User,
  { waiting, shown }: Changed,
): readonly PageEvent[] {
  const { world } = source;
  const messages = waiting.messages.filter((message) => mayRead(world, message, viewer));
  const uses = waiting.uses.flatMap((use) => useFor(world, use, viewer) ?? []);
  return [
    ...(waiting.resync ? [{ t: 'resync' } as const] : []),
    ...(waiting.bot ? [{ t: 'bot', bot: botView(source) } as const] : []),
    ...waiting.guildIds.flatMap((id) => guildEvent(source, viewer, id, shown) ?? []),
    ...(waiting.directMessages
      ? [{ t: 'direct_messages', channels: directMessagesOf(source, viewer) } as const]
      : []),
    ...messages.map((message) => ({ t: 'message', message: messageFor(world, message, viewer) }) as const),
    ...uses.map((use) => ({ t: 'use', use }) as const),
    ...noticesFor(source, viewer, waiting),
  ];
}

function guildEvent(source: ViewSource, viewer: User, id: string, shown: Set<string>): PageEvent | undefined {
  const guild = source.world.guilds.get(id);
  const view = guild && guildFor(source, guild, viewer);
  if (!view) return shown.delete(id) ? { t: 'guild_gone', id } : undefined;
  shown.add(id);
  return { t: 'guild', guild: view };
}

function noticesFor(
  { world, isSpeaking }: ViewSource,
  viewer: User,
  { speaking, typing }: Pick<Waiting<never, never>, 'speaking' | 'typing'>,
): readonly PageEvent[] {
  const seen = (keys: readonly string[]): { channel_id: string; user_id: string }[] =>
    keys.flatMap((key) => {
      const [channelId = '', userId = ''] = key.split(':');
      const channel = world.channels.get(channelId);
      return channel && maySee(world, channel, viewer) ? [{ channel_id: channelId, user_id: userId }] : [];
    });
  return [
    ...seen(speaking).map((who) => {
      return { t: 'speaking', ...who, speaking: isSpeaking(who.channel_id, who.user_id) } as const;
    }),
    ...seen(typing).map((who) => ({ t: 'typing', ...who }) as const),
  ];
}
