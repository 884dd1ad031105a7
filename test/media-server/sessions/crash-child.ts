import { createMediaServer } from '../../../src/media-server/server.ts';
import { GreyFaces, ScalingVoices } from './stream-engines.ts';

/** Runs a server for sessions in its own process, to be killed. Prints its address and key. */
const [dataDir = ''] = process.argv.slice(2);
const server = await createMediaServer({
  dataDir,
  engines: { voiceSwap: new ScalingVoices(), liveSwap: new GreyFaces() },
});
process.stdout.write(`${JSON.stringify({ baseUrl: server.baseUrl, apiKey: server.apiKey })}\n`);
