import { createMediaServer } from '../../../src/media-server/server.ts';
import { GreyFaces, ScalingVoices } from './stream-engines.ts';

/** Runs a session server in its own process, to be killed. Prints the server's base URL and API key. */
const [dataDir = ''] = process.argv.slice(2);
const server = await createMediaServer({
  dataDir,
  engines: { voiceSwap: new ScalingVoices(), liveSwap: new GreyFaces() },
});
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, apiKey: server.apiKey })}\n`);
