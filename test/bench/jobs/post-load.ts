/** Posts signed webhook deliveries over a few open connections, and reports how long each took. */
import { Agent, request } from 'node:http';
import { signDelivery } from '../../../src/base/signing.ts';
import { deliveryOf } from './deliveries.ts';

export interface PostLoad {
  readonly url: string;
  readonly tokens: readonly string[];
  readonly secret: string;
  readonly count: number;
  readonly connections: number;
  /** Makes the ids in this run unique. */
  readonly run: string;
}

const load = JSON.parse(process.argv[2] ?? '') as PostLoad;
const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
const seconds = Math.floor(Date.now() / 1000);
const posts = Array.from({ length: load.count }, (_, index) => {
  const token = load.tokens[index % load.tokens.length] ?? '';
  const body = deliveryOf(`srv_${token}`, `dlv_${load.run}_${index}`);
  return { token, body, signature: signDelivery(load.secret, seconds, body) };
});

process.once('message', () => {
  run().catch((error: unknown) => {
    throw error;
  });
});
process.send?.('ready');

async function run(): Promise<void> {
  const tookMs: number[] = [];
  let next = 0;
  const startedMs = performance.now();
  const work = async (): Promise<void> => {
    for (let post = posts[next++]; post; post = posts[next++]) {
      const sentMs = performance.now();
      const status = await send(post);
      if (status !== 200) throw new Error(`A delivery was answered with ${status}`);
      tookMs.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: load.connections }, work));
  process.send?.({ tookMs, seconds: (performance.now() - startedMs) / 1000 });
}

function send({ token, body, signature }: (typeof posts)[number]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': body.length,
      'service-signature': signature,
      'service-event': 'job.succeeded',
    };
    const call = request(`${load.url}/webhooks/${token}`, { method: 'POST', agent, headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode));
    });
    call.on('error', reject).end(body);
  });
}
