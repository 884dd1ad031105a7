import { version } from '@discordjs/voice';
import { describe, expect, test } from 'vitest';
import { PINNED_VERSION, assertLibrary } from '../../../../src/bot/discord/voice/assert-library.ts';

const WHOLE = { version: PINNED_VERSION, has: () => true };

describe('assertLibrary', () => {
  test('accepts the installed library', () => {
    expect(version).toBe('0.19.2');
    expect(() => assertLibrary()).not.toThrow();
  });

  test('rejects another version, and a version without a method that is used', () => {
    expect(() => assertLibrary({ ...WHOLE, version: '0.20.0' })).toThrow(
      'Cannot use voice: @discordjs/voice is "0.20.0", not "0.19.2"',
    );
    const without = { ...WHOLE, has: (_owner: unknown, method: string) => method !== 'onMessage' };
    expect(() => assertLibrary(without)).toThrow('Cannot use voice: VoiceWebSocket has no "onMessage"');
  });
});
