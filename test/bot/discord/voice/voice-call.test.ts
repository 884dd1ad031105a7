import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { silentLogger } from '../../../../src/base/log.ts';
import { VoiceCall } from '../../../../src/bot/discord/voice/voice-call.ts';
import type { SeatGuild } from '../../../../src/bot/discord/voice/voice-seat.ts';

const GUILD = '1';
const CHANNEL = '2';

type Methods = Parameters<SeatGuild['voiceAdapterCreator']>[0];

interface Gateway {
  readonly call: VoiceCall;
  readonly clock: FakeClock;
  /** The channels that the bot asked the main gateway to join, in order; null means that it asked to leave. */
  readonly asked: (string | null)[];
  readonly events: string[];
  /** Has the main gateway name a voice server, or report that there is none. */
  readonly server: (endpoint: string | null) => void;
  /** Has the main gateway report the bot's voice state. */
  readonly state: (channelId: string | null) => void;
  readonly lose: () => void;
}

/**
 * Creates a call with a main gateway that the test controls. If `takes` is false, the gateway accepts no
 * requests.
 */
function useCall({ takes = true, exists = true } = {}): Gateway {
  const clock = new FakeClock();
  const asked: (string | null)[] = [];
  const events: string[] = [];
  let methods: Methods | undefined;
  const guild: SeatGuild = {
    id: GUILD,
    voiceAdapterCreator: (given) => {
      methods = given;
      return {
        sendPayload: (payload) => {
          asked.push((payload as { d: { channel_id: string | null } }).d.channel_id);
          return takes;
        },
        destroy: () => events.push('given up'),
      };
    },
  };
  const tell = (what: string) => (): void => void events.push(what);
  const call = new VoiceCall({
    guild,
    channelId: CHANNEL,
    userId: '3',
    exists: () => exists,
    isAlone: () => true,
    clock,
    log: silentLogger,
    listener: {
      onNewServer: tell('new server'),
      onReady: tell('ready'),
      onInterrupted: tell('interrupted'),
      onEnded: (end) => events.push(`ended ${end}`),
      onDatagram: tell('datagram'),
      onForeign: tell('foreign'),
      onSpeaker: tell('speaker'),
      onGone: tell('gone'),
      onKeys: tell('keys'),
      onRecovery: tell('recovery'),
      onKeyFault: tell('key fault'),
    },
  });
  onTestFinished(() => call[Symbol.dispose]());
  return {
    call,
    clock,
    asked,
    events,
    server: (endpoint) => methods?.onVoiceServerUpdate({ token: 'abc', guild_id: GUILD, endpoint }),
    state: (channel_id) =>
      methods?.onVoiceStateUpdate({ channel_id, session_id: 'def', user_id: '3' } as never),
    lose: () => methods?.destroy(),
  };
}

describe('VoiceCall', () => {
  test('asks a silent gateway at growing intervals, joins again each time, and gives up', async () => {
    const { clock, asked, events } = useCall();

    await clock.advance(10 * 60_000);

    const again = [null, CHANNEL];
    expect(asked).toEqual([CHANNEL, ...again, ...again, ...again, ...again, ...again, null]);
    expect(events).toEqual(['given up', 'ended unreachable']);
    expect(clock.pendingTimers).toBe(0);
  });

  test('gives up when the gateway accepts no requests', async () => {
    const { clock, asked, events } = useCall({ takes: false });

    await clock.advance(10 * 60_000);

    expect(asked.filter((channelId) => channelId !== null)).toHaveLength(6);
    expect(events.at(-1)).toBe('ended unreachable');
  });

  test('connects whether the voice server or the voice state arrives first', async () => {
    for (const order of ['server first', 'state first']) {
      const { clock, server, state, events, call } = useCall();
      await clock.advance(1);
      if (order === 'server first') server('127.0.0.1:1');
      state(CHANNEL);
      if (order === 'state first') server('127.0.0.1:1');

      expect(events).toEqual(['new server']);
      call[Symbol.dispose]();
      expect(events).toEqual(['new server', 'given up', 'ended closed']);
    }
  });

  test('never connects more often than its delays allow, whatever the voice server does', async () => {
    const { clock, server, state, asked, events } = useCall();
    const askedAtMs: number[] = [];
    await clock.advance(1);
    for (let step = 0; step < 3_000 && !events.some((entry) => entry.startsWith('ended')); step++) {
      if (asked.length > askedAtMs.length) {
        askedAtMs.push(clock.monotonic());
        state(CHANNEL);
        server('127.0.0.1:1');
      }
      await clock.advance(20);
    }

    expect(events.at(-1)).toBe('ended unreachable');
    expect(askedAtMs.length).toBeLessThanOrEqual(7);
  });

  test('survives invalid endpoints and malformed messages', async () => {
    const { clock, server, state, events } = useCall();
    await clock.advance(1);
    state(CHANNEL);

    server('not a host/\u0000?');
    server({ host: 'x' } as never);
    state(7 as never);
    await clock.advance(10 * 60_000);

    expect(events.at(-1)).toBe('ended unreachable');
  });

  test.each([
    [true, 'disconnected'],
    [false, 'channel_deleted'],
  ])('distinguishes a kick from a deleted channel (%s)', async (exists, reason) => {
    const { clock, state, server, events, asked } = useCall({ exists });
    await clock.advance(1);
    state(CHANNEL);
    state(null);
    server('127.0.0.1:1');
    await clock.advance(500);

    expect(events).toEqual(['given up', `ended ${reason}`]);
    expect(asked).toEqual([CHANNEL]);
  });

  test('ends when its client is lost', async () => {
    const { clock, lose, events } = useCall();
    await clock.advance(1);

    lose();

    expect(events).toEqual(['given up', 'ended unreachable']);
  });
});
