import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '../../base/clock.ts';
import { type MicroUsd, addMicros, formatUsd, parseUsd, subtractMicros } from '../../base/money.ts';
import { MediaApi } from '../../media-api/media-api.ts';
import type { SandboxChannel } from '../../sandbox/script/guild-script.ts';
import type { SandboxMember } from '../../sandbox/script/member-script.ts';
import type { MessageView } from '../../sandbox/script/message-view.ts';
import { playGallery } from './gallery.ts';
import type { Play } from './play.ts';
import { cardLines, readableText, titleOf } from './readable-text.ts';
import { type SampleFile, readSample } from './samples.ts';

interface Command {
  readonly by: SandboxMember;
  readonly in: SandboxChannel;
  readonly image: SampleFile;
  readonly face: SampleFile;
}

/** What the community may spend: two pictures, and not a third. */
export const DEMO_BUDGET: MicroUsd = parseUsd('0.10');

const REPLY_MS_MAX = 60_000;
const PSNR_DB_MIN = 35;
const FACE_CHANGE_MIN = 5;

/** The main job, a failure and a refusal; then the sums on both sides. */
export async function playScenes(play: Play): Promise<void> {
  const { sandbox, bot } = play.stage;
  const filmClub = sandbox.addGuild('Film club');
  const general = filmClub.addTextChannel('general');
  const ada = filmClub.addMember('Ada');
  const ben = filmClub.addMember('Ben');
  const man = await readSample('portrait-man-dark-hair.jpg');
  const woman = await readSample('portrait-woman-brown-hair.jpg');
  const elder = await readSample('portrait-man-elderly.jpg');
  const landscape = await readSample('no-face-landscape.jpg');

  play.transcript.scene('Ada puts a face into a picture');
  await swapAndCheck(play, { by: ada, in: general, image: man, face: woman }, 'photo-swap-1');

  play.transcript.scene('Ben tries a picture without a face');
  await failAndCheck(play, { by: ben, in: general, image: landscape, face: woman });

  play.transcript.scene('Ben uses another picture');
  await swapAndCheck(play, { by: ben, in: general, image: elder, face: man }, 'photo-swap-2');

  play.transcript.scene('The budget of the community is used up');
  await refuseAndCheck(play, { by: ada, in: general, image: man, face: elder });

  const gallery = await playGallery(play);
  await checkSums(play, subtractMicros(DEMO_BUDGET, (await bot.budget(filmClub.id)).left), gallery);
  const broken = sandbox.takeViolations();
  play.checks.that('no rule of Discord was broken', broken.length === 0, `${broken.length} violations`);
}

async function swapAndCheck(play: Play, command: Command, name: string): Promise<void> {
  const { stage, checks, outDir } = play;
  const reply = await run(play, command, (message) => message.attachments.length > 0);
  const [file] = reply.attachments;
  if (!file) throw new TypeError('Cannot keep a result without a file');
  const path = join(outDir, `${name}.${file.filename.split('.').at(-1)}`);
  await writeFile(path, file.bytes());
  play.transcript.tell('', `kept as ${path}`);
  const { checkSwap } = await import('../../media-server/engine/photo/swap-check.ts');
  const check = await checkSwap(
    { base: command.image.path, person: command.face.path, result: path },
    stage.finder,
  );
  const { facesInPlace, faceChange, psnrOutsideDb, likenessToPerson, likenessToBase } = check;
  checks.that(
    `${name}: the face changed`,
    faceChange > FACE_CHANGE_MIN,
    `${faceChange.toFixed(1)} of 255 on average`,
  );
  checks.that(
    `${name}: the rest did not`,
    psnrOutsideDb > PSNR_DB_MIN,
    `PSNR ${psnrOutsideDb.toFixed(1)} dB`,
  );
  checks.that(`${name}: there is still a face`, facesInPlace === 1, `${facesInPlace} found`);
  checks.that(
    `${name}: it is the other person's`,
    likenessToPerson > likenessToBase,
    `likeness ${likenessToPerson.toFixed(2)} to the face given, ${likenessToBase.toFixed(2)} to the one before`,
  );
}

async function failAndCheck(play: Play, command: Command): Promise<void> {
  const reply = await run(play, command, (message) => message.text.includes('Nothing was charged'));
  const isExplained = reply.text.includes('No face was found');
  play.checks.that('a picture without a face is explained', isExplained, titleOf(reply));
}

async function refuseAndCheck(play: Play, command: Command): Promise<void> {
  const reply = await run(play, command, (message) => message.text.includes('budget'));
  const isExplained = /monthly budget/.test(reply.text) && /<t:\d+:F>/.test(reply.text);
  play.checks.that('a refusal names the budget and its reset', isExplained, titleOf(reply));
}

async function run(
  { transcript }: Play,
  { by, in: channel, image, face }: Command,
  isDone: (message: MessageView) => boolean,
): Promise<MessageView> {
  transcript.tell(by.name, `/photo-swap image: ${image.name} face: ${face.name}   in #${channel.name}`);
  const use = await by.runs('/photo-swap', { in: channel, options: { image, face } });
  await use.acknowledged();
  transcript.tell('Discord', `shows that the bot is at work, after ${use.acknowledgedAfterMs} ms`);
  const reply = await use.replyWhere(isDone, { timeoutMs: REPLY_MS_MAX });
  const names = new Map([[by.id, by.name]]);
  transcript.tell('Discord', 'shows everybody:');
  for (const line of cardLines(reply)) {
    transcript.tell('', `| ${readableText(line, names, systemClock.now())}`);
  }
  return reply;
}

/** What the guild spent by its own ledger and what the gallery cost, against all that the service says. */
async function checkSums(
  { stage, checks, transcript }: Play,
  spent: MicroUsd,
  gallery: MicroUsd,
): Promise<void> {
  const { media } = stage;
  await using api = new MediaApi({ baseUrl: media.baseUrl, apiKey: media.apiKey });
  const balance = await api.account.balance();
  const usage = await api.account.usage({ limit: 500 });
  const summary = await api.account.usageSummary();
  const failed = usage.filter((record) => record.status === 'failed');
  const logged = addMicros(...usage.map((record) => record.charged));
  transcript.scene('The sums');
  transcript.tell('Service', `charged ${formatUsd(balance.totalSpent)} for ${usage.length} jobs`);
  transcript.tell('Ledger', `Film club spent ${formatUsd(spent)} of ${formatUsd(DEMO_BUDGET)}`);
  transcript.tell('Client', `the other jobs cost ${formatUsd(gallery)}`);
  checks.that(
    'ledger and service agree to the micro-dollar',
    spent === parseUsd('0.08') && addMicros(spent, gallery) === balance.totalSpent,
    `${formatUsd(addMicros(spent, gallery))} and ${formatUsd(balance.totalSpent)}`,
  );
  checks.that(
    'usage log, summary and balance agree too',
    logged === balance.totalSpent &&
      summary.totalSpent === logged &&
      subtractMicros(balance.totalToppedUp, logged) === balance.balance,
    `${formatUsd(logged)}, ${formatUsd(summary.totalSpent)}, ${formatUsd(subtractMicros(balance.totalToppedUp, balance.balance))}`,
  );
  const isFree = failed.length === 1 && failed.every((record) => record.charged === 0);
  checks.that('the failed job cost nothing', isFree, `${failed.length} failed`);
}
