import { type MicroUsd, parseUsd } from '../../../base/money.ts';
import { playBudget } from './play-budget.ts';
import { playGallery } from './play-gallery.ts';
import type { Play } from './play.ts';
import { titleOf } from './readable-text.ts';
import { runCommand } from './run-command.ts';
import { checkSums } from './check-sums.ts';
import { playVoice } from './play-voice.ts';
import {
  failAndCheck,
  linkAndCheck,
  retryAndCheck,
  shutOutAndCheck,
  swapAndCheck,
} from './swap-and-check.ts';

/** The budget of each community: enough for all scenes, but not for another avatar. */
export const DEMO_BUDGET: MicroUsd = parseUsd('1.40');

/** An attachment limit that is too small for every picture, even for one that was reduced in size. */
const ATTACHMENT_BYTES_MAX = 8 * 1024;

/** Plays every job command, a failure, a retry, a link, refusals, a budget and voices, and then compares the sums. */
export async function playScenes(play: Play): Promise<void> {
  const { sandbox } = play.stage;
  const filmClub = sandbox.addGuild('Film club');
  const general = filmClub.addTextChannel('general');
  const lounge = filmClub.addTextChannel('lounge');
  const ada = filmClub.addMember('Ada');
  const ben = filmClub.addMember('Ben');
  const scene = (title: string): void => play.transcript.scene(title);

  scene('Ada puts a face into a picture');
  const man = 'portrait-man-dark-hair.jpg';
  const woman = 'portrait-woman-brown-hair.jpg';
  const first = { by: ada, in: general, image: man, face: woman };
  const reply = await swapAndCheck(play, first, 'photo-swap');

  scene('Ben tries a picture without a face');
  await failAndCheck(play, { by: ben, in: general, image: 'no-face-landscape.jpg', face: woman });

  await playGallery(play, { by: ben, in: general });

  scene('The bot is restarted, and the button under the first result still works');
  await retryAndCheck(play, first, reply, 'retry');

  scene('A server that allows only small files gets a link');
  const corner = sandbox.addGuild('Small corner', { attachmentSizeLimitBytes: ATTACHMENT_BYTES_MAX });
  const place = { by: corner.addMember(ada), in: corner.addTextChannel('general') };
  await linkAndCheck(play, { ...place, image: 'portrait-man-elderly.jpg', face: man }, 'linked');

  scene('The owner of the community allows one channel only');
  const rules = { guild: filmClub, allowed: general };
  await shutOutAndCheck(play, rules, { by: ben, in: lounge, image: man, face: woman });

  scene('The budget of the community is too small for another avatar');
  const avatar = { by: ben, in: general, command: '/avatar', files: { image: woman } };
  const speech = { ...avatar, values: { script: 'One more thing: the bar is open!' } };
  const refusal = await runCommand(play, speech, (message) => message.text.includes('budget'));
  const isExplained = /monthly budget/.test(refusal.text) && /<t:\d+:F>/.test(refusal.text);
  play.checks.that('a refusal names the budget and its reset', isExplained, titleOf(refusal));

  const bookClub = await playBudget(play, [ada, ben]);
  const radioClub = await playVoice(play, [ada, ben]);

  await checkSums(play, [filmClub, corner, bookClub, radioClub]);
  const broken = sandbox.takeViolations();
  play.checks.that('no rule of Discord was broken', broken.length === 0, `${broken.length} violations`);
}
