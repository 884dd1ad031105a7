import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { sleep, systemClock } from '../../base/clock.ts';
import { ServiceError } from '../../base/errors.ts';
import { randomId } from '../../base/ids.ts';
import { sniffFile } from '../../base/media-type.ts';
import { type MicroUsd, addMicros, formatUsd, maxMicros, scaleMicros } from '../../base/money.ts';
import type { Job } from '../../media-api/job.ts';
import { MediaApi } from '../../media-api/media-api.ts';
import type { Codec } from '../../media-server/engine/codec/codec.ts';
import { type ClipCheck, checkClip } from './clip-check.ts';
import { PIECES, type Piece } from './pieces.ts';
import type { Play } from './play.ts';
import { type SampleFile, readSample } from './samples.ts';

const POLL_MS = 250;
/** On a busy machine too: how fast things are is for the bench to tell. */
const RENDER_MS_MAX = 600_000;
const RESULT_BYTES_MAX = 100 * 2 ** 20;
/** Of the key that the jobs are asked for with, so that asking does not slow the demo down. */
const REQUESTS_PER_MINUTE = 1_000;
const FRAME_SECONDS = 1 / 25;
/** Sound ends with a whole packet of 1,024 samples, at 16 kHz the longest, so a file may be longer than its pictures. */
const PACKET_SECONDS = 1_024 / 16_000;
/** Speech is well above it, silence and the noise of an encoder far below. */
const AUDIBLE_DB = -40;
/** Of calm speech with its pauses. */
const WORDS_PER_SECOND = { least: 1.2, most: 4 };
/** Where there is nobody else to be more alike to. */
const LIKENESS_MIN = 0.75;

/** What the pieces play with. */
interface Gallery extends Play {
  readonly api: MediaApi;
  /** Looks at the clips. */
  readonly codec: Codec;
}

/**
 * The capabilities for which the bot has no command yet, straight through the client: upload, submit, poll,
 * collect. Returns what all of them cost.
 */
export async function playGallery(play: Play): Promise<MicroUsd> {
  const { MediabunnyCodec } = await import('../../media-server/engine/codec/mediabunny-codec.ts');
  const { media } = play.stage;
  const { text: apiKey } = media.admin.createKey({ name: 'Demo', requestsPerMinute: REQUESTS_PER_MINUTE });
  await using api = new MediaApi({
    baseUrl: media.baseUrl,
    apiKey,
    requestsPerMinute: REQUESTS_PER_MINUTE,
  });
  const gallery = { ...play, api, codec: await MediabunnyCodec.load() };
  const charges: MicroUsd[] = [];
  for (const piece of PIECES) charges.push(await playPiece(gallery, piece));
  return addMicros(...charges);
}

async function playPiece(gallery: Gallery, piece: Piece): Promise<MicroUsd> {
  const { transcript, stage, outDir, api, codec } = gallery;
  transcript.scene(piece.title);
  const startMs = systemClock.monotonic();
  const job = await render(api, piece, (what) => transcript.tell('Client', what));
  const seconds = (systemClock.monotonic() - startMs) / 1000;
  const path = join(outDir, `${piece.name}.mp4`);
  if (job.outputUrl === null || job.charged === null) {
    throw new ServiceError(
      'demo_failed',
      `Cannot go on: ${piece.name} ended ${job.error?.code ?? job.status}`,
    );
  }
  await api.outputs.download(job.outputUrl, { toPath: path, maxBytes: RESULT_BYTES_MAX });
  transcript.tell(
    'Service',
    `ready after ${seconds.toFixed(1)} s, charged ${formatUsd(job.charged)}; kept as ${path}`,
  );
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
  await checkPrice(gallery, piece, job.charged, check.info.durationSeconds);
  return job.charged;
}

async function render(api: MediaApi, piece: Piece, tell: (what: string) => void): Promise<Job> {
  const keys: Record<string, string> = {};
  for (const [field, name] of Object.entries(piece.inputs)) {
    keys[field] = await upload(api, await readSample(name));
    tell(`uploaded ${name}`);
  }
  const submitted = await api.jobs.submit({
    capability: piece.capability,
    body: JSON.stringify({ ...keys, ...piece.parameters }),
    idempotencyKey: randomId('demo'),
  });
  tell('submitted the job');
  const untilMs = systemClock.monotonic() + RENDER_MS_MAX;
  for (;;) {
    const job = await api.jobs.get(submitted);
    if (job.status === 'failed' || (job.status === 'succeeded' && job.charged !== null)) return job;
    if (systemClock.monotonic() > untilMs) {
      throw new ServiceError('demo_failed', `Cannot wait for ${piece.name} any longer: it is ${job.status}`);
    }
    await sleep(systemClock, POLL_MS);
  }
}

async function upload(api: MediaApi, { path }: SampleFile): Promise<string> {
  const type = await sniffFile(path);
  if (!type) throw new TypeError('Cannot upload a sample: it is not media');
  const { mime, extension } = type;
  return (await api.uploads.create({ path, sizeBytes: (await stat(path)).size, mime, extension })).fileKey;
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
    `${name}: it is the right person's`,
    before === null || likenessBefore === null
      ? likenessToPerson > LIKENESS_MIN
      : likenessToPerson > likenessBefore,
    `likeness ${likenessToPerson.toFixed(2)}${likenessBefore === null ? '' : `, ${likenessBefore.toFixed(2)} to the one before`}`,
  );
}

async function checkLength(
  { checks, codec }: Gallery,
  { name, asLongAs, parameters }: Piece,
  seconds: number,
): Promise<void> {
  if (asLongAs === null) {
    const words = String(parameters['script']).split(/\s+/).length;
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

/** What the card says for a clip of this length, within a packet's price: the service bills the pictures' length. */
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
    `${name}: costs what the card says`,
    Math.abs(charged - expected) <= slack,
    `${formatUsd(charged)} at ${formatUsd(rate)} a second`,
  );
}
