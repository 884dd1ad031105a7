import { ApplicationCommandOptionType } from 'discord.js';
import { expect, test } from 'vitest';
import { voice } from '../../../../commands/voice/voice.ts';
import { aCall } from '../../discord/a-call.ts';
import { servicesOf } from '../../discord/use-services.ts';
import { only } from '../../../helpers/only.ts';
import { ADA, nova, useDesk } from './use-desk.ts';

type Options = readonly {
  readonly name: string;
  readonly type: number;
  readonly required?: boolean;
  readonly options?: Options;
}[];

const SUBCOMMANDS = (voice.data as { readonly options?: Options }).options ?? [];

test('never asks for a recording: voices come from the service', () => {
  const types = SUBCOMMANDS.flatMap(({ options }) => (options ?? []).map(({ type }) => type));
  expect(types).not.toContain(ApplicationCommandOptionType.Attachment);
});

test('requires the voice, so that nobody is passed through because it was omitted', () => {
  for (const name of ['start', 'join']) {
    const options = SUBCOMMANDS.find((sub) => sub.name === name)?.options;
    expect(options?.find((option) => option.name === 'voice')?.required).toBe(true);
  }
});

test.each([
  ['ten minutes by default', {}, 10],
  ['as long as requested', { minutes: 120 }, 120],
])('lasts %s', async (_name, options, minutes) => {
  const { desk, clock } = await useDesk();
  const call = aCall(
    { voice: `voice:${nova.id}`, ...options },
    { guildId: '3', channelId: '4', userId: ADA },
  );
  const startedAtMs = clock.now();
  await voice.execute({ ...call, subcommand: 'start' }, servicesOf(only({}), { voice: desk }));
  expect((await desk.status('3'))?.endsAtMs).toBe(startedAtMs + minutes * 60_000);
});
