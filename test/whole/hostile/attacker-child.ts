/** The process behind `Attacker`. */
import { HeldSockets, type HeldSocketsOptions } from './held-sockets.ts';
import { type StormFigures, type StormOptions, stormWebhooks } from './webhook-storm.ts';

export type ToAttacker =
  | { readonly hold: HeldSocketsOptions }
  | { readonly count: true }
  | { readonly storm: StormOptions };

export interface FromAttacker {
  readonly id: string;
  readonly held?: readonly number[];
  readonly storm?: StormFigures;
}

const all: HeldSockets[] = [];

process.on('message', (message: ToAttacker & { readonly id: string }) => {
  void answer(message).then((said) => process.send?.({ ...said, id: message.id }));
});
process.send?.('ready');

async function answer(message: ToAttacker): Promise<Omit<FromAttacker, 'id'>> {
  if ('storm' in message) return { storm: await stormWebhooks(message.storm) };
  if ('count' in message) return { held: all.map(({ held }) => held) };
  const sockets = new HeldSockets(message.hold);
  all.push(sockets);
  await sockets.opened;
  return {};
}
