import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { DiscordChannelStatus } from '../../../../src/bot/discord/voice/discord-channel-status.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { type VoiceClub, useVoiceClub } from './use-connector.ts';

interface StatusClub extends VoiceClub {
  readonly status: DiscordChannelStatus;
  readonly lines: readonly string[];
}

async function useStatus(): Promise<StatusClub> {
  const club = await useVoiceClub();
  const lines: string[] = [];
  const status = new DiscordChannelStatus({
    client: club.client,
    clock: systemClock,
    log: recordingLogger(lines),
  });
  return { ...club, status, lines };
}

test('a voice channel shows a status until it is removed', async () => {
  const { lounge, connector, place, status } = await useStatus();
  lounge.permits('bot', 'SET_VOICE_CHANNEL_STATUS');
  await using endpoint = await connector.join(place);

  expect(await status.set(lounge.id, 'Voices are converted here')).toBe(true);
  expect(lounge.status).toBe('Voices are converted here');
  expect(await status.set(lounge.id, 'x'.repeat(600))).toBe(true);
  expect(lounge.status).toHaveLength(500);
  expect(await status.clear(lounge.id)).toBe(true);

  expect(lounge.status).toBeNull();
  expect(endpoint.channelId).toBe(lounge.id);
});

test('reports a status that may not be set', async () => {
  const { sandbox, lounge, connector, place, status, lines } = await useStatus();
  lounge.forbids('bot', 'SET_VOICE_CHANNEL_STATUS');
  await using endpoint = await connector.join(place);

  expect(await status.set(lounge.id, 'Voices are converted here')).toBe(false);

  expect(lounge.status).toBeNull();
  expect(endpoint.members).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(sandbox.takeViolations()).toHaveLength(1);
});
