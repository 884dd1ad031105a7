import type { Client } from 'discord.js';
import { onTestFinished } from 'vitest';
import { type Clock, systemClock } from '../../../src/base/clock.ts';
import type { CommandServices } from '../../../src/bot/discord/command.ts';
import type { MessageBody } from '../../../src/bot/discord/wire/message-calls.ts';
import { Dispatch } from '../../../src/bot/discord/interactions/dispatch.ts';
import { registerCommands } from '../../../src/bot/discord/wire/register-commands.ts';
import { sentenceReply } from '../../../src/bot/discord/words/replies/replies.ts';
import type { InteractionHandlers } from '../../../src/bot/discord/interactions/interaction-router.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../src/sandbox/script/sandbox-member.ts';
import { useClub } from './use-bot.ts';
import { MemoryIntake } from './use-intake.ts';
import { servicesOf } from './use-services.ts';

/** A bot in the sandbox with handlers that the test defines. */
export interface Stage {
  readonly sandbox: Sandbox;
  readonly guild: SandboxGuild;
  readonly channel: SandboxChannel;
  readonly ada: SandboxMember;
  readonly client: Client<true>;
  readonly intake: MemoryIntake;
  readonly logged: readonly string[];
  /**
   * Returns the REST calls so far in the form `METHOD path`, without secrets and without values that differ in each
   * run.
   */
  readonly calls: () => string[];
  /** Stops dispatching and starts again with these handlers, like a new version of the bot. */
  readonly restart: (handlers: Partial<InteractionHandlers>) => Promise<void>;
}

/** Logs a bot in to a new sandbox and registers the commands of its handlers. */
export async function useHandlers(
  handlers: Partial<InteractionHandlers>,
  clock: Clock = systemClock,
  services: Partial<CommandServices> = {},
): Promise<Stage> {
  const { sandbox, guild, channel, ada, client, log, logged, exchanges } = await useClub(clock);
  const intake = new MemoryIntake();
  const start = (lists: Partial<InteractionHandlers>): Dispatch => {
    const started = new Dispatch({
      client,
      commands: [],
      ...lists,
      services: servicesOf(intake, services),
      clock,
      log,
    });
    onTestFinished(() => started[Symbol.asyncDispose]());
    return started;
  };
  let dispatch = start(handlers);
  const registered = await registerCommands({
    rest: client.rest,
    applicationId: client.application.id,
    commands: [...(handlers.commands ?? []), ...(handlers.menus ?? [])].map(({ data }) => data),
    clock: systemClock,
  });
  dispatch.expectIds(registered.map(({ id }) => id));
  exchanges.length = 0;
  return {
    sandbox,
    guild,
    channel,
    ada,
    client,
    intake,
    logged,
    calls: () =>
      exchanges.map(({ method, path }) => `${method} ${path.replace(/\d{17,}|interaction_[\w-]+/g, '…')}`),
    restart: async (lists) => {
      await dispatch[Symbol.asyncDispose]();
      dispatch = start(lists);
      dispatch.expectIds(registered.map(({ id }) => id));
    },
  };
}

/** Creates a message of one sentence, with a row of buttons and menus beneath it. */
export function sentence(text: string, ...rows: MessageBody['components']): MessageBody {
  return { ...sentenceReply(text), components: rows };
}
