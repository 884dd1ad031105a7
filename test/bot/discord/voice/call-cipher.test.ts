import { DAVESession } from '@discordjs/voice';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { CallCipher, canEncrypt } from '../../../../src/bot/discord/voice/call-cipher.ts';

const FRAME = Buffer.from([0x78, 1, 2, 3]);
const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
const ADA = '1001';

interface Call {
  readonly clock: FakeClock;
  readonly cipher: CallCipher;
  readonly dave: DAVESession;
  /** The transitions for which the voice server was asked to set up the encryption again (op 31). */
  readonly asked: number[];
  /** Returns the number of key packages (op 26) that followed the first one. */
  readonly packages: () => number;
  /** Delivers this many frames. */
  readonly arrive: (count: number) => void;
}

/** Creates a call for which no keys have been agreed on yet. */
function newCall({ version = 1 } = {}): Call {
  const clock = new FakeClock();
  const cipher = new CallCipher(clock);
  const dave = new DAVESession(version, '1', '2', {});
  const asked: number[] = [];
  let packages = 0;
  dave.reinit();
  dave.on('invalidateTransition', (id: number) => asked.push(id));
  dave.on('keyPackage', () => {
    packages += 1;
  });
  onTestFinished(() => dave.destroy());
  const arrive = (count: number): void => {
    for (let frame = 0; frame < count; frame++) cipher.open(dave, ADA, FRAME);
  };
  return { clock, cipher, dave, asked, packages: () => packages, arrive };
}

describe('CallCipher', () => {
  test('passes frames of a call without encryption, unless a frame is encrypted after all', () => {
    const { cipher, dave } = newCall({ version: 0 });

    expect(cipher.open(undefined, ADA, FRAME)).toBe(FRAME);
    expect(cipher.open(dave, ADA, FRAME)).toBe(FRAME);
    expect(cipher.open(dave, ADA, Buffer.from([1, 2, 0xfa, 0xfa]))).toBe('still_encrypted');
  });

  test('passes only silence before the keys are agreed on, where the library passes ciphertext', () => {
    const { cipher, dave } = newCall();

    expect(dave.decrypt(FRAME, ADA)).toBe(FRAME);
    expect(cipher.open(dave, ADA, FRAME)).toBe('still_encrypted');
    expect(cipher.open(dave, ADA, SILENCE)).toBe(SILENCE);
  });

  test('starts again after transition 0, which the library does not do, and not while the keys may still arrive', async () => {
    const { clock, arrive, asked, packages } = newCall();

    arrive(100);
    await clock.advance(2_900);
    arrive(100);
    expect(asked).toEqual([]);
    await clock.advance(100);
    arrive(1);

    expect(asked).toEqual([0]);
    expect(packages()).toBe(1);
  });

  test('returns the last transition', async () => {
    const { clock, dave, arrive, asked } = newCall();
    dave.prepareTransition({ transition_id: 5, protocol_version: 1 });
    dave.executeTransition(5);

    arrive(50);
    await clock.advance(3_000);
    arrive(1);

    expect(asked).toEqual([5]);
  });

  test('tries again at growing intervals', async () => {
    const { clock, arrive, asked } = newCall();

    for (let second = 0; second < 600; second++) {
      arrive(50);
      await clock.advance(1_000);
    }

    expect(asked.length).toBeGreaterThanOrEqual(8);
    expect(asked.length).toBeLessThanOrEqual(16);
  });

  test('sends no plaintext into an encrypted call', () => {
    expect(canEncrypt(undefined)).toBe(true);
    expect(canEncrypt(newCall({ version: 0 }).dave)).toBe(true);
    expect(canEncrypt(newCall().dave)).toBe(false);
  });
});
