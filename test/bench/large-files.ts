import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LargeFileWay } from './large-file-way.ts';

/** The cost of a 500 MB clip on its way to the service. */
export interface LargeFilesBench {
  readonly fileMegabytes: number;
  readonly uploadMegabytesPerSecond: number;
  /** The speed of the same upload to the same server with undici alone. The two uploads take turns. */
  readonly baselineMegabytesPerSecond: number;
  /** The goal is at least 0.8 on an otherwise idle machine. */
  readonly ratio: number;
  /**
   * Processor time of the upload in our process and in the baseline process. These figures are valid even on a busy
   * machine.
   */
  readonly uploadCpuSeconds: number;
  readonly baselineCpuSeconds: number;
  /**
   * The largest growth of the process's memory while it fetches, cleans and uploads. The goal is at most 64 MiB; V8
   * keeps about as much in unused buffers before it frees them, even during a bare upload.
   */
  readonly rssGrowthMebibytes: number;
  /** The largest growth during the bare upload. */
  readonly baselineRssGrowthMebibytes: number;
  readonly fetchAndCleanSeconds: number;
}

const SIZE_BYTES = 500_000_000;
const ROUNDS = 3;
const MEGABYTE = 1_000_000;
const MEBIBYTE = 1024 * 1024;
const CLIP = new URL('../samples/talking-woman-512.mp4', import.meta.url).pathname;

/** Fetches, cleans and uploads a 500 MB clip over loopback; each side runs in its own process. */
export async function benchLargeFiles(): Promise<LargeFilesBench> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const path = join(folder, 'clip.mp4');
    await writeClip(path);
    await using host = await startHost(path);
    const ours: LargeFileWay[] = [];
    const bare: LargeFileWay[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      ours.push(await take('whole', host.origin, join(folder, 'arrival')));
      bare.push(await take('bare', host.origin, path));
    }
    return figuresOf(ours, bare);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function figuresOf(ours: readonly LargeFileWay[], bare: readonly LargeFileWay[]): LargeFilesBench {
  const speed = (ways: readonly LargeFileWay[]): number =>
    SIZE_BYTES / MEGABYTE / Math.min(...ways.map(({ uploadSeconds }) => uploadSeconds));
  const cpuSeconds = (ways: readonly LargeFileWay[]): number =>
    Math.min(...ways.map(({ uploadCpuSeconds }) => uploadCpuSeconds));
  const growth = (ways: readonly LargeFileWay[]): number =>
    Math.max(...ways.map(({ rssGrowthBytes }) => rssGrowthBytes)) / MEBIBYTE;
  return {
    fileMegabytes: SIZE_BYTES / MEGABYTE,
    uploadMegabytesPerSecond: speed(ours),
    baselineMegabytesPerSecond: speed(bare),
    ratio: speed(ours) / speed(bare),
    uploadCpuSeconds: cpuSeconds(ours),
    baselineCpuSeconds: cpuSeconds(bare),
    rssGrowthMebibytes: growth(ours),
    baselineRssGrowthMebibytes: growth(bare),
    fetchAndCleanSeconds: Math.min(...ours.map(({ prepareSeconds }) => prepareSeconds)),
  };
}

/** Writes a clip followed by empty space that the cleaner has to scan. */
async function writeClip(path: string): Promise<void> {
  await copyFile(CLIP, path);
  await using file = await open(path, 'r+');
  const { size } = await file.stat();
  const head = Buffer.alloc(8);
  head.writeUInt32BE(SIZE_BYTES - size);
  head.write('free', 4, 'latin1');
  await file.write(head, 0, head.length, size);
  await file.truncate(SIZE_BYTES);
}

async function take(how: 'whole' | 'bare', origin: string, path: string): Promise<LargeFileWay> {
  return messageOf<LargeFileWay>(fork(join(import.meta.dirname, 'large-file-way.ts'), [how, origin, path]));
}

async function startHost(path: string): Promise<AsyncDisposable & { readonly origin: string }> {
  const child = fork(join(import.meta.dirname, 'file-host.ts'), [path]);
  const port = await messageOf<number>(child);
  return {
    origin: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}

async function messageOf<T>(child: ChildProcess): Promise<T> {
  const ended = once(child, 'exit').then(([code]) => {
    throw new Error(`A process of the benchmark ended with ${String(code)}`);
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [T];
  ended.catch(() => undefined);
  return message;
}
