import { INTERACTION_TYPES, type Interaction } from '../chat/interaction.ts';
import type { User } from '../chat/user.ts';
import type { World } from '../chat/world.ts';
import { UseOfBot } from '../script/use-of-bot.ts';
import type { PageComponent } from './message-views.ts';
import type { PageUse } from './use-views.ts';

/** How long a failed use is still sent to pages that are reloaded. */
const FAILED_SHOWN_MS = 5 * 60_000;
const KINDS: Readonly<Record<number, PageUse['kind'] | undefined>> = {
  [INTERACTION_TYPES.command]: 'command',
  [INTERACTION_TYPES.component]: 'component',
  [INTERACTION_TYPES.modal]: 'form',
};

/**
 * Returns a use of the bot as its user sees it. Returns undefined for other users' uses and for suggestions, which the
 * page does not show.
 */
export function useFor(world: World, interaction: Interaction, viewer: User): PageUse | undefined {
  const kind = KINDS[interaction.type];
  if (!kind || interaction.user !== viewer) return undefined;
  const { modal, source, data } = interaction;
  const use = new UseOfBot(world, interaction);
  return {
    id: interaction.id,
    kind,
    channel_id: interaction.channel.id,
    command: interaction.commandName,
    source_message_id: source?.id ?? null,
    custom_id: typeof data['custom_id'] === 'string' ? data['custom_id'] : null,
    state: use.state,
    created_at_ms: interaction.createdAtMs,
    acknowledged_after_ms: use.acknowledgedAfterMs,
    form: modal && {
      title: modal.title,
      custom_id: modal.custom_id,
      components: modal.components as readonly PageComponent[],
    },
  };
}

/** Returns the uses of `viewer` that are pending or failed a short time ago. */
export function openUsesOf(world: World, viewer: User): readonly PageUse[] {
  const failedSinceMs = world.clock.now() - FAILED_SHOWN_MS;
  return [...world.interactions.values()]
    .filter(({ user, state }) => {
      return user === viewer && (state.is === 'failed' ? state.atMs > failedSinceMs : state.is === 'waiting');
    })
    .flatMap((interaction) => useFor(world, interaction, viewer) ?? []);
}
