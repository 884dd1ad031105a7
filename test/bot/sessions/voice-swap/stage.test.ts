import { expect, onTestFinished, test } from 'vitest';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust-certificate.ts';
import { ScalingVoices } from '../../../media-server/sessions/stream-engines.ts';
import { tone } from '../../../sandbox/use-voice.ts';
import { useCommunityWithoutBot } from '../../../helpers/use-community.ts';
import { useLockstepClock } from '../../../helpers/use-lockstep-clock.ts';
import { loadOpus, onClock, useShortNotice } from './use-voice-community.ts';

test('a second bot user repeats in another channel what the first one hears, and nobody there hears the original', async () => {
  const voices = new ScalingVoices();
  const time = await useLockstepClock();
  await loadOpus();
  const place = await useCommunityWithoutBot(onClock(time, { media: { engines: { voiceSwap: voices } } }));
  const { sandbox, guild, general, ada } = place;
  const trust = trustCertificate(sandbox.caPem);
  onTestFinished(() => trust[Symbol.dispose]());
  const second = sandbox.addApplication('Herald');
  const voiceNoticeFile = await useShortNotice();
  const options = { ...place.botOptions, voiceNoticeFile, stage: { token: second.token } };
  const bot = await time.during(createMasquerade(options));
  onTestFinished(() => bot[Symbol.asyncDispose]());
  onTestFinished(() => void time.run());
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
  const asked = await time.during(use.replied());
  await ada.presses('I agree', { on: asked });
  const status = async (): Promise<string> =>
    (await time.during((await ada.runs('/voice status', { in: general })).replied())).text;
  await time.until(async () => expect(await status()).toContain('on, ends'), { everyMs: 100 });
  stage.voice.forgets();
  booth.voice.forgets();
  await time.during(ada.voice.speaks(tone(440, 1_000)));
  const speakers = (): readonly string[] => stage.voice.speakerIds;
  await time.until(() => expect(speakers()).toHaveLength(1));
  const [herald = ''] = speakers();
  await time.until(() => expect(ben.voice.packetsOf({ id: herald }, stage).length).toBeGreaterThan(30));
  const spokenInBooth = booth.voice.speakerIds;
  const statuses = [booth.status, stage.status];
  ben.voice.leaves();
  await time.until(() => expect(voices.taken).toBe(0), { withinMs: 1_000 });

  expect(herald).not.toBe(bot.client.user?.id);
  expect(spokenInBooth).toEqual([ada.id]);
  expect(statuses).toEqual(Array(2).fill(expect.stringContaining('Voice conversion is on')));
});
