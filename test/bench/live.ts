import { type LiveBrowserBench, benchLiveBrowser } from './live/browser.ts';
import { type LiveEngineBench, benchLiveEngine } from './live/engine.ts';
import { type LiveRelayBench, benchLiveRelay } from './live/relay.ts';

/**
 * Measures the engine alone, the round trip from a page to the engine and back, and the whole system in a browser with
 * a camera.
 */
export async function benchLive(): Promise<
  readonly [LiveEngineBench, LiveRelayBench, LiveBrowserBench | { readonly browser: string }]
> {
  return [
    await benchLiveEngine(),
    await benchLiveRelay(),
    (await benchLiveBrowser()) ?? { browser: 'no Chromium' },
  ];
}
