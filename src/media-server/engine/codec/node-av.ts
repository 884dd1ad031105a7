import type * as nodeAv from 'node-av';
import { optionalModule } from '../optional-module.ts';

/** FFmpeg's libraries inside the process. Their calls run on other threads. */
export type NodeAv = typeof nodeAv;
export type AvFrame = InstanceType<NodeAv['Frame']>;

/** Loads the package. If it is missing, throws an error that names it. */
export async function loadNodeAv(): Promise<NodeAv> {
  const av = await optionalModule('node-av', import('node-av'));
  av.Log.setLevel(av.AV_LOG_FATAL);
  return av;
}

/** Throws if FFmpeg's result `code` is an error. `action` is used in the message. */
export function mustSucceed(av: NodeAv, code: number, action: string): void {
  if (code < 0) throw new Error(`Cannot ${action}: ${new av.FFmpegError(code).message}`);
}
