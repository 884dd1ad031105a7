import { type LiveEngineBench, benchLiveEngine } from './live/engine.ts';
import { type LiveRelayBench, benchLiveRelay } from './live/relay.ts';

/** The engine by itself, and the way from a page to it and back. */
export async function benchLive(): Promise<readonly [LiveEngineBench, LiveRelayBench]> {
  return [await benchLiveEngine(), await benchLiveRelay()];
}
