import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { readWav } from '../../../src/audio/wav.ts';
import { SAMPLES } from '../browser/use-connected-chat.ts';
import type { FilmClub } from './film-club.ts';
import type { Stage } from './stage.ts';

const PATIENCE = { timeoutMs: 30_000 };

/** As Ada, shows everyone the month's spending, while two members talk with converted voices. */
export async function spendScene(stage: Stage): Promise<Page> {
  const { club } = stage;
  const { ada, walter, chidi } = club.members;
  const { general, lounge } = club.channels;
  await walter.says('Do we still have money for the trailer?', { in: general });
  club.laterBy({ minutes: 1 });
  const use = await ada.runs('/spend show', { in: general, options: { share: true } });
  await use.replied();
  await startVoices(club);
  const visitor = await stage.openChat({
    as: ada,
    in: general,
    scheme: 'dark',
    side: 'members',
    window: { width: 1200, height: 980 },
  });
  const { page } = visitor;
  await visitor.message('Spending this month').getByRole('img').first().waitFor();
  void chidi.voice.speaks(readWav(await readFile(join(SAMPLES, 'speech-man-48k.wav'))).pcm);
  const inLounge = page.getByRole('list', { name: `In ${lounge.name}` }).getByRole('listitem');
  for (const name of ['Chidi', 'masquerade'])
    await inLounge.filter({ hasText: name }).getByText('speaking').waitFor();
  return page;
}

/** Has Chloe and Chidi join the lounge and agree to have their voices converted. */
async function startVoices({ members, channels }: FilmClub): Promise<void> {
  const { chloe, chidi } = members;
  const { lounge } = channels;
  for (const member of [chloe, chidi]) member.voice.joins(lounge);
  const options = { voice: 'voice:bright-woman', minutes: 10 };
  const started = await chloe.runs('/voice start', { in: lounge, options });
  await chloe.presses('I agree', { on: await started.replied(PATIENCE) });
  const joined = await chidi.runs('/voice join', { in: lounge, options: { voice: 'voice:deep-narrator' } });
  await chidi.presses('I agree', { on: await joined.replied(PATIENCE) });
  const areOn = ({ text }: { readonly text: string }): boolean => text.split(' · on, ends ').length === 3;
  await lounge.messageWhere(areOn, PATIENCE);
}
