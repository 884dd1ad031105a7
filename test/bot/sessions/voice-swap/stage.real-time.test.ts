import { expect, it, onTestFinished } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust.ts';
import { ScalingVoices } from '../../../media-server/sessions/stream-engines.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { useCommunityWithoutBot } from '../../../helpers/use-community.ts';
import { useShortNotice } from './use-voice-community.ts';

it('a second bot user speaks in another channel what the first one hears, and nobody there hears the original', async () => {
  const voices = new ScalingVoices();
  const place = await useCommunityWithoutBot({ media: { engines: { voiceSwap: voices } } });
  const { sandbox, guild, general, ada } = place;
  const trust = trustCertificate(sandbox.caPem);
  onTestFinished(() => trust[Symbol.dispose]());
  const second = sandbox.addApplication('Herald');
  const bot = await createMasquerade({
    ...place.botOptions,
    voiceNoticeFile: await useShortNotice(),
    stage: { token: second.token },
  });
  onTestFinished(() => bot[Symbol.asyncDispose]());
  const booth = guild.addVoiceChannel('Booth');
  const stage = guild.addVoiceChannel('Stage');
  const ben = guild.addMember('Ben');
  ada.hasRoles(guild.addRole('Moderators', 'MUTE_MEMBERS'));
  ada.voice.joins(booth);
  ben.voice.joins(stage);

  const use = await ada.runs('/voice start', {
    in: general,
    options: { voice: 'voice:mirror', stage },
  });
  const asked = await use.replied();
  await ada.presses('I agree', { on: asked });
  const status = async (): Promise<string> =>
    (await (await ada.runs('/voice status', { in: general })).replied()).text;
  await expect.poll(status, { interval: 100 }).toContain('on, ends');
  stage.voice.forgets();
  booth.voice.forgets();
  await ada.voice.speaks(tone(440, 1_000));
  const speakers = (): readonly string[] => stage.voice.speakerIds;
  await expect.poll(speakers).toHaveLength(1);
  const [herald = ''] = speakers();
  await expect.poll(() => ben.voice.packetsOf({ id: herald }, stage).length).toBeGreaterThan(30);
  const spokenInBooth = booth.voice.speakerIds;
  const statuses = [booth.status, stage.status];
  ben.voice.leaves();
  await expect.poll(() => voices.taken, { timeout: 5_000, interval: 20 }).toBe(0);

  expect(herald).not.toBe(bot.client.user?.id);
  expect(spokenInBooth).toEqual([ada.id]);
  expect(statuses).toEqual(Array(2).fill(expect.stringContaining('Voice conversion is on')));
});
