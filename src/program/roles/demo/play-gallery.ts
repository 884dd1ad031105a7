import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MicroUsd, formatUsd, maxMicros, scaleMicros } from '../../../base/money.ts';
import { MediaApi } from '../../../media-api/media-api.ts';
import type { Codec } from '../../../media-server/engine/codec/codec.ts';
import type { SandboxChannel } from '../../../sandbox/script/sandbox-guild.ts';
import type { SandboxMember } from '../../../sandbox/script/sandbox-member.ts';
import { type ClipCheck, checkClip } from './clip-check.ts';
import { PIECES, type Piece } from './pieces.ts';
import type { Play } from './play.ts';
import { runCommand } from './run-command.ts';
import { readSample } from './read-sample.ts';

/** The rate limit of the key that the checks use. The bot has a different key. */
const REQUESTS_PER_MINUTE = 1_000;
const FRAME_SECONDS = 1 / 25;
/**
 * The longest sound packet: 1,024 samples at 16 kHz or more. Sound ends with a whole packet, so it can end this much
 * later than the last frame.
 */
const PACKET_SECONDS = 1_024 / 16_000;
/** Speech is well above this level; silence and encoder noise are far below it. */
const AUDIBLE_DB = -40;
/** The speed of calm speech, including pauses. */
const WORDS_PER_SECOND = { least: 1.2, most: 4 };
/** The minimum likeness to the person if the input shows nobody else. */
const LIKENESS_MIN = 0.75;

/** The objects that a piece uses. */
interface Gallery extends Play {
  readonly api: MediaApi;
  /** Reads the clips that are checked. */
  readonly codec: Codec;
  readonly by: SandboxMember;
  readonly in: SandboxChannel;
}

/** Runs every clip job, from its slash command to the posted result, and checks each result. */
export async function playGallery(play: Play, member: Pick<Gallery, 'by' | 'in'>): Promise<void> {
  const { MediabunnyCodec } = await import('../../../media-server/engine/codec/mediabunny-codec.ts');
  const { media } = play.stage;
  const { text: apiKey } = media.admin.createKey({ name: 'Demo', requestsPerMinute: REQUESTS_PER_MINUTE });
  await using api = new MediaApi({
    baseUrl: media.baseUrl,
    apiKey,
    requestsPerMinute: REQUESTS_PER_MINUTE,
  });
  const gallery = { ...play, ...member, api, codec: await MediabunnyCodec.load() };
  for (const piece of PIECES) await playPiece(gallery, piece);
}

async function playPiece(gallery: Gallery, piece: Piece): Promise<void> {
  const { transcript, stage, outDir, api, codec, by, in: channel } = gallery;
  transcript.scene(piece.title);
  const reply = await runCommand(
    gallery,
    { ...piece, by, in: channel },
    (message) => message.attachments.length > 0,
  );
  const [file] = reply.attachments;
  if (!file) throw new TypeError('Cannot keep a result without a file');
  const path = join(outDir, `${piece.name}.mp4`);
  await writeFile(path, file.bytes());
  transcript.add('', `saved as ${path}`);
  const check = await checkClip(
    {
      result: path,
      person: (await readSample(piece.person)).path,
      before: piece.before && (await readSample(piece.before)).path,
      sheet: join(outDir, `${piece.name}-stills.jpg`),
    },
    stage.finder,
    codec,
  );
  await checkPiece(gallery, piece, check);
  const [newest] = await api.account.usage({ limit: 1 });
  if (!newest) throw new TypeError('Cannot check a price: the service logged no job');
  await checkPrice(gallery, piece, newest.charged, check.info.durationSeconds);
  gallery.checks.that(
    `${piece.name}: the reply shows the charge`,
    reply.text.includes(formatUsd(newest.charged)),
    formatUsd(newest.charged),
  );
}

async function checkPiece(gallery: Gallery, piece: Piece, check: ClipCheck): Promise<void> {
  const { checks } = gallery;
  const { name, side, isLonger = false, before } = piece;
  const { info, loudnessDb, facesSeen, stills, likenessToPerson, likenessBefore } = check;
  const { width = 0, height = 0 } = info.video ?? {};
  await checkLength(gallery, piece, info.durationSeconds);
  const isSized = (isLonger ? Math.max(width, height) : Math.min(width, height)) === side;
  checks.that(`${name}: has its size`, isSized, `${width} x ${height}`);
  checks.that(`${name}: can be heard`, loudnessDb > AUDIBLE_DB, `${loudnessDb.toFixed(1)} dB on average`);
  checks.that(`${name}: shows one face`, facesSeen === stills, `in ${facesSeen} of ${stills} stills`);
  checks.that(
    `${name}: it is the face of the right person`,
    before === null || likenessBefore === null
      ? likenessToPerson > LIKENESS_MIN
      : likenessToPerson > likenessBefore,
    `likeness ${likenessToPerson.toFixed(2)}${likenessBefore === null ? '' : `, ${likenessBefore.toFixed(2)} to the one before`}`,
  );
}

async function checkLength(
  { checks, codec }: Gallery,
  { name, asLongAs, values }: Piece,
  seconds: number,
): Promise<void> {
  if (asLongAs === null) {
    const words = String(values['script']).split(/\s+/).length;
    const isSpoken = seconds > words / WORDS_PER_SECOND.most && seconds < words / WORDS_PER_SECOND.least;
    checks.that(`${name}: speaks the script`, isSpoken, `${words} words in ${seconds.toFixed(2)} s`);
    return;
  }
  const { path } = await readSample(asLongAs);
  const wanted = (await codec.probe(path)).durationSeconds;
  checks.that(
    `${name}: as long as its input`,
    Math.abs(seconds - wanted) <= FRAME_SECONDS,
    `${seconds.toFixed(2)} s of ${wanted.toFixed(2)} s`,
  );
}

/**
 * Compares the charge with the rate card. They may differ by the price of one sound packet, because the service bills
 * only the duration of the frames.
 */
async function checkPrice(
  { checks, api }: Gallery,
  { name, capability }: Piece,
  charged: MicroUsd,
  durationSeconds: number,
): Promise<void> {
  const { rate, minimum } = (await api.pricing.get()).rates[capability] ?? {};
  if (!rate || !minimum) throw new TypeError(`Cannot check a price: the card lacks ${capability}`);
  const expected = maxMicros(minimum, scaleMicros(rate, durationSeconds));
  const slack = scaleMicros(rate, PACKET_SECONDS);
  checks.that(
    `${name}: the charge follows the rate card`,
    Math.abs(charged - expected) <= slack,
    `${formatUsd(charged)} at ${formatUsd(rate)} a second`,
  );
}
