import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../../db/database.ts';
import type { SandboxMember } from '../../../../src/sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../../src/sandbox/script/message-view.ts';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { SandboxChannel } from '../../../../src/sandbox/script/sandbox-guild.ts';
import {
  type Community,
  type CommunityOptions,
  sample,
  useCommunityWithoutBot,
} from '../../../helpers/use-community.ts';

type Options = NonNullable<Parameters<SandboxMember['runs']>[1]['options']>;

/** A community whose owner also owns the bot's application. */
export interface OperatorPlace extends Community {
  /** The channel for notifications to the bot's operator. */
  readonly office: SandboxChannel;
  /** Runs `/operator`, by default as the application's owner. Returns the private reply. */
  operates(subcommand: string, options?: Options, who?: SandboxMember): Promise<MessageView>;
  /** Starts a photo swap as Ada. Returns the final message, private or public. */
  swaps(): Promise<MessageView>;
  /** Opens the bot's database while the bot is using it. */
  database(): Promise<Database>;
}

export async function useOperator(options: CommunityOptions = {}): Promise<OperatorPlace> {
  const place = await useCommunityWithoutBot(options);
  const { guild, general, ada } = place;
  const office = guild.addTextChannel('office');
  const botOptions = { ...place.botOptions, operator: { channelId: office.id } };
  const bot = await createMasquerade(botOptions);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  return {
    ...place,
    botOptions,
    bot,
    office,
    async operates(subcommand, values = {}, who = guild.owner) {
      return (await who.runs(`/operator ${subcommand}`, { in: general, options: values })).replied();
    },
    async swaps() {
      const image = await sample('portrait-man-dark-hair.jpg');
      const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
      return Promise.any([
        use.replyWhere((message) => message.attachments.length === 1 || message.text.includes('charged')),
        use.followUpWhere(() => true),
      ]);
    },
    async database() {
      const db = await openDatabase({ url: place.botOptions.databaseUrl ?? '' });
      onTestFinished(() => db[Symbol.asyncDispose]());
      return db;
    },
  };
}
