import { Client, Events, GatewayIntentBits } from 'discord.js';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { readJson } from '../../../../src/base/read-json.ts';
import { Dispatch } from '../../../../src/bot/discord/interactions/dispatch.ts';
import { HANDLERS } from '../../../../commands/all.ts';
import { MemoryIntake } from '../../../bot/discord/use-intake.ts';
import { servicesOf } from '../../../bot/discord/use-services.ts';
import { interaction } from '../grammar/interactions.ts';
import { distort, jsonText } from '../grammar/json.ts';
import { type FuzzTarget, demand } from '../target.ts';

const CALLBACK = /\/interactions\/\w+\/[^/]+\/callback/;

let answers: string[] = [];
const client = new Client({
  intents: [GatewayIntentBits.Guilds],
  rest: {
    timeout: 1_000,
    retries: 0,
    makeRequest: (url, { method }) => {
      answers.push(`${method} ${url}`);
      return Promise.resolve(Response.json({}) as never);
    },
  },
});
client.token = 'token';

/** Uses of the bot as the gateway reports them: commands, menus, buttons, selects, forms, and typed text. */
export const interactions: FuzzTarget = {
  name: 'interactions',
  generate: (random) => {
    const use = interaction(random, HANDLERS);
    return Buffer.from(jsonText(random, random.happens(50) ? distort(random, use, 3) : use));
  },
  async run(input) {
    const payload = readJson(input.toString('utf8'));
    answers = [];
    const dispatch = new Dispatch({
      client,
      ...HANDLERS,
      services: servicesOf(new MemoryIntake()),
      clock: systemClock,
      log: silentLogger,
    });
    try {
      if (!receive(payload)) return 'refused';
    } finally {
      await dispatch[Symbol.asyncDispose]();
    }
    const callbacks = answers.filter((answer) => CALLBACK.test(answer));
    demand(callbacks.length <= 1, 'an interaction is answered twice');
    return callbacks.length === 1 ? 'accepted' : 'refused';
  },
};

/**
 * Passes the payload to discord.js. Returns false if discord.js cannot parse it, so that the bot receives nothing.
 */
function receive(payload: unknown): boolean {
  const actions: unknown = Reflect.get(client, 'actions');
  const action: unknown =
    typeof actions === 'object' && actions !== null ? Reflect.get(actions, 'InteractionCreate') : undefined;
  const handle: unknown =
    typeof action === 'object' && action !== null ? Reflect.get(action, 'handle') : undefined;
  if (typeof handle !== 'function')
    throw new TypeError('Cannot pass an interaction to discord.js: its inner parts are not as expected');
  let isSeen = false;
  const see = (): void => {
    isSeen = true;
  };
  client.prependListener(Events.InteractionCreate, see);
  try {
    handle.call(action, payload);
    return isSeen;
  } catch (error) {
    if (isSeen) throw error;
    return false;
  } finally {
    client.off(Events.InteractionCreate, see);
  }
}
