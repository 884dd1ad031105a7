import { createMediaServer } from '../../src/media-server/server.ts';

/** Runs a server in its own process, to be killed. Its renders never end. Prints its base URL and API key. */
const [dataDir = ''] = process.argv.slice(2);
const server = await createMediaServer({
  dataDir,
  requestsPerMinute: 100_000,
  engines: { photoSwap: { swapPhoto: () => new Promise<never>(() => undefined) } },
});
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, apiKey: server.apiKey })}\n`);
