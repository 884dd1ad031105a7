/**
 * A process that fetches, cleans and uploads a clip, or only uploads it with undici, and reports the cost to its parent
 * process. It is a separate process, so that no earlier work has enlarged its memory.
 */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Confinement } from '../../src/base/children/confinement.ts';
import { systemClock } from '../../src/base/clock.ts';
import { request } from '../../src/base/http-client.ts';
import { AttachmentFetcher } from '../../src/bot/discord/wire/attachment-fetcher.ts';
import { JOB_LIMITS } from '../../src/bot/jobs/job-limits.ts';
import { silentLogger } from '../../src/base/log.ts';
import { MediaPool } from '../../src/bot/media/pool/media-pool.ts';
import { MediaApi } from '../../src/media-api/media-api.ts';

export interface LargeFileWay {
  readonly uploadSeconds: number;
  /** Processor time of the upload, which is hardly affected by other programs on the machine. */
  readonly uploadCpuSeconds: number;
  readonly prepareSeconds: number;
  readonly rssGrowthBytes: number;
}

const SAMPLE_MS = 5;
const [how = '', origin = '', path = ''] = process.argv.slice(2);

const before = process.memoryUsage.rss();
let most = before;
const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
const prepareSeconds = how === 'whole' ? await seconds(prepare) : 0;
const cpuBefore = process.cpuUsage();
const uploadSeconds = await seconds(how === 'whole' ? upload : uploadBare);
const cpu = process.cpuUsage(cpuBefore);
clearInterval(timer);
process.send?.({
  uploadSeconds,
  uploadCpuSeconds: (cpu.user + cpu.system) / 1e6,
  prepareSeconds,
  rssGrowthBytes: most - before,
} satisfies LargeFileWay);
process.disconnect();

async function prepare(): Promise<void> {
  const { signal } = new AbortController();
  const sizeBytesMax = JOB_LIMITS.inputBytesMax.video;
  await using fetcher = new AttachmentFetcher({ clock: systemClock, hosts: [new URL(origin).host] });
  await fetcher.fetch({ url: `${origin}/clip.mp4`, toPath: path, sizeBytesMax }, signal);
  const durationSecondsMax = JOB_LIMITS.inputSecondsMax.video;
  const parts = { clock: systemClock, log: silentLogger };
  await using media = new MediaPool({ confinement: new Confinement(parts), ...parts });
  await media.admit(path, 'video', { sizeBytesMax, durationSecondsMax, megapixelsMax: 1 }, signal);
}

async function upload(): Promise<void> {
  await using api = new MediaApi({ baseUrl: `${origin}/api/v1`, apiKey: 'bench' });
  const { size: sizeBytes } = await stat(path);
  await api.uploads.create({ path, mime: 'video/mp4', extension: 'mp4', sizeBytes });
}

async function uploadBare(): Promise<void> {
  const { size } = await stat(path);
  const { body } = await request(origin, {
    method: 'POST',
    headers: { 'content-length': String(size), 'content-type': 'video/mp4' },
    body: createReadStream(path),
  });
  await body.dump();
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const startMs = performance.now();
  await work();
  return (performance.now() - startMs) / 1000;
}
