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

/** A community whose owner also owns the bot's application, and what they do with it. */
export interface OperatorPlace extends Community {
  /** Where the operator is told. */
  readonly office: SandboxChannel;
  /** The application's owner uses `/operator`; the answer only they see. */
  operates(subcommand: string, options?: Options, who?: SandboxMember): Promise<MessageView>;
  /** Ada starts a photo swap; what she alone, or everybody, is shown in the end. */
  swaps(): Promise<MessageView>;
  /** The bot's database, beside the bot. */
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
