import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { sleep } from '../../src/base/clock.ts';
import { useLockstepClock } from './use-lockstep-clock.ts';

test('stands still until a test advances the time, and afterwards', async () => {
  const clock = await useLockstepClock();
  const startMs = clock.monotonic();

  const sleeping = sleep(clock, 60_000);
  await wait(20);
  const beforeMs = clock.monotonic() - startMs;
  await clock.during(sleeping);
  const afterMs = clock.monotonic() - startMs;
  await wait(20);

  expect(beforeMs).toBe(0);
  expect(afterMs).toBe(60_000);
  expect(clock.monotonic() - startMs).toBe(60_000);
});

test('advances only after everything that was sent has arrived, and files have been read', async () => {
  const clock = await useLockstepClock();
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  onTestFinished(() => void socket.close());
  await once(socket, 'listening');
  const lateMs: number[] = [];
  const receive = async (sentMs: number): Promise<void> => {
    await readFile(import.meta.filename);
    lateMs.push(clock.monotonic() - sentMs);
  };
  socket.on('message', (datagram) => void receive(Number(datagram.toString())));

  const speaks = (left: number): void => {
    socket.send(String(clock.monotonic()), socket.address().port, '127.0.0.1');
    if (left > 0) clock.after(20, () => speaks(left - 1));
  };
  speaks(50);
  await clock.until(() => expect(lateMs).toHaveLength(51));

  expect(lateMs).toEqual(Array(51).fill(0));
});

test('stands still while another thread works', async () => {
  const clock = await useLockstepClock();
  const startMs = clock.monotonic();

  const worked = clock.hold(wait(50)).then(() => clock.monotonic());
  await clock.pass(1_000);

  expect(await worked).toBe(startMs);
});

test('times out in its own time if a condition does not come true', async () => {
  const clock = await useLockstepClock();
  const startMs = clock.monotonic();

  const waiting = clock.until(() => expect(clock.now()).toBe(0), { withinMs: 5_000 });

  await expect(waiting).rejects.toThrow('to be +0');
  expect(clock.monotonic() - startMs).toBe(5_000);
});
