import type { VoiceProfile } from './voice-profile.ts';

/*
 * The voices. Every speaker's middle pitch is shifted to the given pitch, by at most 16 semitones down or 18 up
 * (helium and ghost have other limits). Formants move by the ratio times (pitch ratio ^ exponent). See
 * voice-profile.ts for the units.
 *
 * | id            | pitch Hz | intonation | formants       | breath | other properties                            |
 * |---------------|----------|------------|----------------|--------|---------------------------------------------|
 * | deep-narrator | 88       | 0.9        | 0.95, p^0.27   | -      | warm lows, gentle 2:1 compressor            |
 * | calm-man      | 122      | 0.8        | 1.00, p^0.27   | -      | little colour                               |
 * | bright-woman  | 218      | 1.1        | 1.02, p^0.24   | 0.06   | +2 dB at 3 kHz, +2.5 dB above 6.5 kHz       |
 * | soft-woman    | 176      | 0.8        | 0.99, p^0.24   | 0.3    | -3 dB at 2.6 kHz                            |
 * | child         | 305      | 1.15       | 1.10, p^0.24   | -      | nothing below 180 Hz                        |
 * | elderly       | 142      | 0.9        | 0.97, p^0.27   | 0.22   | trembles at 5.6 Hz, 1.8 % jitter, thin      |
 * | radio         | 108      | 1.25       | 0.98, p^0.27   | -      | 0.3 to 4 kHz, 4:1 compressor, 6 dB drive    |
 * | giant         | 66       | 0.9        | 0.80, p^0.15   | -      | +5 dB below 160 Hz, drive, 47 ms echo       |
 * | helium        | 390      | 1.2        | 1.38, p^0.05   | -      | always at least 4 semitones up              |
 * | robot         | 110 held | 0          | 0.97           | -      | 35 % ring at 55 Hz, 9 ms resonance          |
 * | whisper       | none     | -          | 1.04           | 1      | no tone at all                              |
 * | ghost         | 160      | 0.35       | 1.12, p^0.2    | 0.35   | wavers at 3.2 Hz, 130 ms echo, hollow       |
 */

/** Shifts every speaker to the pitch of the voice, so that low and high speakers sound alike. */
function register(targetHz: number, intonation: number = 1): VoiceProfile['pitch'] {
  return { kind: 'register', targetHz, semitonesMin: -16, semitonesMax: 18, intonation };
}

/** All voices on offer, in the order in which they are listed. */
export const VOICES: readonly VoiceProfile[] = [
  {
    id: 'deep-narrator',
    name: 'Deep narrator',
    description: 'A low, warm man who tells a story close to the microphone.',
    speaker: 'rms',
    pitch: register(88, 0.9),
    formants: { ratio: 0.95, followPitch: 0.27 },
    timbre: [
      { kind: 'highPass', hz: 50 },
      { kind: 'lowShelf', hz: 180, gainDb: 4 },
      { kind: 'peak', hz: 450, gainDb: -2, q: 1 },
      { kind: 'highShelf', hz: 4500, gainDb: -2 },
    ],
    compressor: { thresholdDb: -26, ratio: 2, makeUpDb: 5 },
  },
  {
    id: 'calm-man',
    name: 'Calm man',
    description: 'An even, friendly man of middle pitch.',
    speaker: 'rms',
    pitch: register(122, 0.8),
    formants: { ratio: 1, followPitch: 0.27 },
    timbre: [
      { kind: 'lowShelf', hz: 220, gainDb: 1.5 },
      { kind: 'highShelf', hz: 5000, gainDb: -1.5 },
    ],
  },
  {
    id: 'bright-woman',
    name: 'Bright woman',
    description: 'A clear, lively woman with an open sound.',
    speaker: 'slt',
    pitch: register(218, 1.1),
    formants: { ratio: 1.02, followPitch: 0.24 },
    timbre: [
      { kind: 'highPass', hz: 110 },
      { kind: 'peak', hz: 3000, gainDb: 2, q: 0.8 },
      { kind: 'highShelf', hz: 6500, gainDb: 2.5 },
    ],
    breath: 0.06,
  },
  {
    id: 'soft-woman',
    name: 'Soft woman',
    description: 'A gentle, breathy woman who speaks quietly and low.',
    speaker: 'slt',
    pitch: register(176, 0.8),
    formants: { ratio: 0.99, followPitch: 0.24 },
    breath: 0.3,
    timbre: [
      { kind: 'highPass', hz: 90 },
      { kind: 'peak', hz: 2600, gainDb: -3, q: 0.7 },
      { kind: 'highShelf', hz: 7000, gainDb: 1.5 },
    ],
  },
  {
    id: 'child',
    name: 'Child',
    description: 'A cheerful child of about eight.',
    speaker: 'slt',
    pitch: register(305, 1.15),
    formants: { ratio: 1.1, followPitch: 0.24 },
    timbre: [
      { kind: 'highPass', hz: 180 },
      { kind: 'peak', hz: 3800, gainDb: 2, q: 0.8 },
    ],
  },
  {
    id: 'elderly',
    name: 'Elderly man',
    description: 'An old man with a thin, trembling voice.',
    speaker: 'awb',
    pitch: register(142, 0.9),
    formants: { ratio: 0.97, followPitch: 0.27 },
    breath: 0.22,
    jitter: 0.018,
    vibrato: { rateHz: 5.6, semitones: 0.45 },
    tremolo: { rateHz: 5.6, depth: 0.3 },
    gainDb: 3,
    timbre: [
      { kind: 'highPass', hz: 160 },
      { kind: 'peak', hz: 1300, gainDb: 4, q: 0.9 },
      { kind: 'highShelf', hz: 4000, gainDb: -4 },
    ],
  },
  {
    id: 'radio',
    name: 'Radio announcer',
    description: 'A confident announcer, pressed through an old broadcast line.',
    speaker: 'rms',
    pitch: register(108, 1.25),
    formants: { ratio: 0.98, followPitch: 0.27 },
    timbre: [
      { kind: 'highPass', hz: 320 },
      { kind: 'highPass', hz: 260 },
      { kind: 'peak', hz: 1800, gainDb: 5, q: 0.8 },
      { kind: 'lowPass', hz: 3600 },
      { kind: 'lowPass', hz: 4200 },
    ],
    compressor: { thresholdDb: -34, ratio: 4, makeUpDb: 17 },
    driveDb: 6,
    gainDb: 6,
  },
  {
    id: 'giant',
    name: 'Giant',
    description: 'A huge, slow-chested giant from a fairy tale.',
    speaker: 'kal16',
    pitch: register(66, 0.9),
    formants: { ratio: 0.8, followPitch: 0.15 },
    timbre: [
      { kind: 'lowShelf', hz: 160, gainDb: 5 },
      { kind: 'highShelf', hz: 3500, gainDb: -3 },
    ],
    driveDb: 3,
    gainDb: -1.5,
    echo: { delayMs: 47, feedback: 0.3, mix: 0.22 },
  },
  {
    id: 'helium',
    name: 'Helium',
    description: 'A squeaky cartoon character, whoever speaks.',
    speaker: 'slt',
    pitch: { kind: 'register', targetHz: 390, semitonesMin: 4, semitonesMax: 24, intonation: 1.2 },
    formants: { ratio: 1.38, followPitch: 0.05 },
    gainDb: 3,
    timbre: [
      { kind: 'highPass', hz: 250 },
      { kind: 'highShelf', hz: 6000, gainDb: -2 },
    ],
  },
  {
    id: 'robot',
    name: 'Robot',
    description: 'A machine that speaks every word on one note.',
    speaker: 'kal16',
    pitch: { kind: 'held', hz: 110 },
    formants: { ratio: 0.97, followPitch: 0 },
    ring: { hz: 55, mix: 0.35 },
    echo: { delayMs: 9, feedback: 0.45, mix: 0.5 },
    timbre: [
      { kind: 'highPass', hz: 120 },
      { kind: 'peak', hz: 1500, gainDb: 3, q: 1 },
    ],
  },
  {
    id: 'whisper',
    name: 'Whisper',
    description: 'The same words whispered: no tone at all.',
    speaker: 'slt',
    pitch: { kind: 'step', semitones: 0, intonation: 1 },
    formants: { ratio: 1.04, followPitch: 0 },
    breath: 1,
    timbre: [{ kind: 'highPass', hz: 200 }],
    gainDb: 8,
  },
  {
    id: 'ghost',
    name: 'Ghost',
    description: 'A hollow, wavering voice from an empty house.',
    speaker: 'awb',
    pitch: { kind: 'register', targetHz: 160, semitonesMin: -14, semitonesMax: 14, intonation: 0.35 },
    formants: { ratio: 1.12, followPitch: 0.2 },
    breath: 0.35,
    vibrato: { rateHz: 3.2, semitones: 0.8 },
    tremolo: { rateHz: 3.2, depth: 0.35 },
    gainDb: 4,
    echo: { delayMs: 130, feedback: 0.35, mix: 0.35 },
    timbre: [
      { kind: 'highPass', hz: 220 },
      { kind: 'peak', hz: 900, gainDb: 4, q: 2 },
      { kind: 'peak', hz: 2500, gainDb: -6, q: 0.8 },
    ],
  },
];

/** The voice that is used if none is given. */
export const DEFAULT_VOICE_ID = 'calm-man';

/** Finds the voice with this id. */
export function voiceById(id: string): VoiceProfile | undefined {
  return VOICES.find((voice) => voice.id === id);
}
