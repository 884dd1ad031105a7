import { type ChatInputCommandInteraction, type Client, Events } from 'discord.js';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../src/sandbox/script/sandbox-member.ts';
import { useClient } from './use-client.ts';

export interface Scene {
  readonly guild: SandboxGuild;
  readonly general: SandboxChannel;
  readonly ada: SandboxMember;
  readonly client: Client<true>;
}

/** Creates one guild, one channel, one member and a client whose `/hello` calls `handle`. */
export async function useCommand(
  sandbox: Sandbox,
  handle: (interaction: ChatInputCommandInteraction) => Promise<unknown> = async () => undefined,
): Promise<Scene> {
  const guild = sandbox.addGuild('Film club');
  const general = guild.addTextChannel('general');
  const ada = guild.addMember('Ada');
  const client = await useClient(sandbox);
  await client.application.commands.set([{ name: 'hello', description: 'Says hello' }]);
  client.on(Events.InteractionCreate, (interaction) => {
    if (interaction.isChatInputCommand()) void handle(interaction);
  });
  return { guild, general, ada, client };
}

/** Returns the code of the Discord error with which `work` fails, or `undefined` if it does not fail. */
export async function discordCode(work: Promise<unknown>): Promise<unknown> {
  try {
    await work;
    return undefined;
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
