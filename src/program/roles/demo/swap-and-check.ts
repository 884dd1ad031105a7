import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxChannel, SandboxGuild } from '../../../sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../sandbox/script/sandbox-member.ts';
import type { MessageView } from '../../../sandbox/script/message-view.ts';
import { fetchInRanges, linkOf } from './fetch-in-ranges.ts';
import type { Play } from './play.ts';
import { titleOf } from './readable-text.ts';
import { pressButton, runCommand } from './run-command.ts';
import { readSample } from './read-sample.ts';

/** A member's use of `/photo-swap` in a channel, with the names of the samples. */
interface Swap {
  readonly by: SandboxMember;
  readonly in: SandboxChannel;
  readonly image: string;
  readonly face: string;
}

const PSNR_DB_MIN = 35;
const FACE_CHANGE_MIN = 5;

/** Swaps the face in a picture and checks the result. */
export async function swapAndCheck(play: Play, swap: Swap, name: string): Promise<MessageView> {
  const reply = await runCommand(play, commandOf(swap), hasFile);
  await checkAttached(play, swap, reply, name);
  return reply;
}

/** Restarts the bot, presses the Retry button under an earlier result, and checks the new result. */
export async function retryAndCheck(
  play: Play,
  swap: Swap,
  earlier: MessageView,
  name: string,
): Promise<void> {
  await play.stage.restartBot();
  play.transcript.add('Bot', 'was restarted');
  const reply = await pressButton(play, { by: swap.by, button: 'Retry', on: earlier }, hasFile);
  play.checks.that(`${name}: is a message of its own`, reply.id !== earlier.id, titleOf(reply));
  await checkAttached(play, swap, reply, name);
}

/** Runs a swap whose result is too large for Discord, fetches that result in pieces through its link, and checks it. */
export async function linkAndCheck(play: Play, swap: Swap, name: string): Promise<void> {
  const reply = await runCommand(play, commandOf(swap), (message) => linkOf(message) !== undefined);
  const link = linkOf(reply);
  if (link === undefined) throw new TypeError('Cannot fetch a result without a link');
  const fetched = await fetchInRanges(link);
  play.transcript.add(swap.by.name, `loads it in ${fetched.pieces} pieces: ${fetched.bytes.length} bytes`);
  play.checks.that(`${name}: is sent in ranges`, fetched.isPartial, `${fetched.pieces} pieces`);
  play.checks.that(
    `${name}: has a content type that browsers must accept`,
    fetched.isSniffProof,
    fetched.contentType,
  );
  const isOwn = !link.includes('/api/v1/') && new URL(link).origin === play.stage.bot.webUrl;
  play.checks.that(`${name}: the link is the bot's own`, isOwn, new URL(link).host);
  await checkBytes(play, swap, { bytes: fetched.bytes, extension: 'jpg' }, name);
}

/** Runs a swap on a picture that shows no face. The bot must explain the failure and charge nothing. */
export async function failAndCheck(play: Play, swap: Swap): Promise<void> {
  const isFree = (message: MessageView): boolean => message.text.includes('Nothing was charged');
  const reply = await runCommand(play, commandOf(swap), isFree);
  const isExplained = reply.text.includes('No face was found');
  play.checks.that('a picture without a face is explained', isExplained, titleOf(reply));
}

/** Has the owner allow only one channel, and checks that the bot refuses the command in another. */
export async function shutOutAndCheck(
  play: Play,
  { guild, allowed }: { readonly guild: SandboxGuild; readonly allowed: SandboxChannel },
  swap: Swap,
): Promise<void> {
  const values = { channel: allowed };
  const rule = { by: guild.owner, in: allowed, command: '/access allow', values };
  await runCommand(play, rule, (message) => message.text !== '');
  const reply = await runCommand(play, commandOf(swap), (message) => message.text !== '');
  const isExplained = reply.text.includes(`<#${allowed.id}>`);
  play.checks.that('a refusal by the rules of the server is explained', isExplained, titleOf(reply));
}

function commandOf({ by, in: channel, image, face }: Swap): Parameters<typeof runCommand>[1] {
  return { by, in: channel, command: '/photo-swap', files: { image, face } };
}

function hasFile(message: MessageView): boolean {
  return message.attachments.length > 0;
}

async function checkAttached(play: Play, swap: Swap, reply: MessageView, name: string): Promise<void> {
  const [file] = reply.attachments;
  if (!file) throw new TypeError('Cannot keep a result without a file');
  await checkBytes(
    play,
    swap,
    { bytes: file.bytes(), extension: file.filename.split('.').at(-1) ?? '' },
    name,
  );
}

async function checkBytes(
  { stage, checks, transcript, outDir }: Play,
  { image, face }: Swap,
  { bytes, extension }: { readonly bytes: Uint8Array; readonly extension: string },
  name: string,
): Promise<void> {
  const result = join(outDir, `${name}.${extension}`);
  await writeFile(result, bytes);
  transcript.add('', `saved as ${result}`);
  const { checkSwap } = await import('../../../media-server/engine/cpu/swap-check.ts');
  const [base, person] = [(await readSample(image)).path, (await readSample(face)).path];
  const { facesInPlace, faceChange, psnrOutsideDb, likenessToPerson, likenessToBase } = await checkSwap(
    { base, person, result },
    stage.finder,
  );
  const change = `${faceChange.toFixed(1)} of 255 on average`;
  checks.that(`${name}: the face changed`, faceChange > FACE_CHANGE_MIN, change);
  const psnr = `PSNR ${psnrOutsideDb.toFixed(1)} dB`;
  checks.that(`${name}: the rest did not`, psnrOutsideDb > PSNR_DB_MIN, psnr);
  checks.that(`${name}: there is still a face`, facesInPlace === 1, `${facesInPlace} found`);
  const likeness = `likeness ${likenessToPerson.toFixed(2)} to the face given, ${likenessToBase.toFixed(2)} to the one before`;
  checks.that(`${name}: it is the face of the other person`, likenessToPerson > likenessToBase, likeness);
}
