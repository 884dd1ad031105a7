import type * as nodeAv from 'node-av';
import { optionalModule } from '../optional-module.ts';

/** FFmpeg's libraries inside the process. Its calls run on other threads. */
export type NodeAv = typeof nodeAv;
export type AvFrame = InstanceType<NodeAv['Frame']>;

/** Throws an error that names the package when it is missing. */
export async function loadNodeAv(): Promise<NodeAv> {
  const av = await optionalModule('node-av', import('node-av'));
  av.Log.setLevel(av.AV_LOG_FATAL);
  return av;
}

/** Throws when FFmpeg refused `action`. */
export function mustSucceed(av: NodeAv, code: number, action: string): void {
  if (code < 0) throw new Error(`Cannot ${action}: ${new av.FFmpegError(code).message}`);
}
