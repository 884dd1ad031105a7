import { Agent, request } from 'node:http';
import { hmacHex } from '../../../src/base/signing.ts';

export interface StormOptions {
  readonly url: string;
  readonly seconds: number;
  readonly connections: number;
  readonly perSecondMax: number;
}

export interface StormFigures {
  readonly sent: number;
  readonly perSecond: number;
  /** Number of answers by status; status 0 counts connections that ended without an answer. */
  readonly statuses: Readonly<Record<number, number>>;
}

const SLICE_MS = 20;
const BODY = Buffer.from(
  JSON.stringify({ event: 'job.succeeded', data: { id: 'srv_1' }, padding: 'x'.repeat(300) }),
);

/**
 * Posts forged webhooks: with well-formed, malformed, repeated and outdated signatures, and without a signature.
 */
export async function stormWebhooks(options: StormOptions): Promise<StormFigures> {
  const { url, seconds, connections, perSecondMax } = options;
  using agent = new StormAgent({ keepAlive: true, maxSockets: connections });
  const statuses: Record<number, number> = {};
  const startMs = performance.now();
  const running = new Set<Promise<void>>();
  let sent = 0;
  while (performance.now() - startMs < seconds * 1_000) {
    const due = Math.min(
      ((performance.now() - startMs) * perSecondMax) / 1_000 - sent,
      4 * connections - running.size,
    );
    for (let left = due; left > 0; left--) {
      const one = post(`${url}/webhooks/cb_${String(sent).padStart(16, '0')}`, agent, signatures(sent)).then(
        (status) => {
          statuses[status] = (statuses[status] ?? 0) + 1;
        },
      );
      running.add(one);
      void one.finally(() => running.delete(one));
      sent += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, SLICE_MS));
  }
  await Promise.all(running);
  return { sent, perSecond: Math.round(sent / ((performance.now() - startMs) / 1_000)), statuses };
}

class StormAgent extends Agent implements Disposable {
  [Symbol.dispose](): void {
    this.destroy();
  }
}

function signatures(index: number): Record<string, string | string[]> {
  const now = Math.floor(Date.now() / 1_000);
  const forged = `t=${now},v1=${hmacHex('whsec_guessed', `${now}.`, BODY)}`;
  const shapes = [
    { 'service-signature': forged },
    { 'service-signature': `t=${now},v1=${'0'.repeat(63)}` },
    { 'service-signature': [forged, forged] },
    { 'service-signature': `t=${now - 3_600},v1=${'a'.repeat(64)}` },
    { 'service-signature': `t=${now}${`,v1=${'b'.repeat(64)}`.repeat(100)}` },
    {},
  ];
  return shapes[index % shapes.length] ?? {};
}

function post(url: string, agent: Agent, headers: Record<string, string | string[]>): Promise<number> {
  return new Promise((resolve) => {
    const all = { 'content-type': 'application/json', ...headers };
    const asked = request(url, { method: 'POST', agent, headers: all }, (response) => {
      response.resume().once('close', () => resolve(response.statusCode ?? 0));
    });
    asked.once('error', () => resolve(0));
    asked.end(BODY);
  });
}
