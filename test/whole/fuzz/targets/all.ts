import type { FuzzTarget } from '../target.ts';

/** Every parser under attack; each is loaded only in the process that tries it. */
const TARGETS: Readonly<Record<string, () => Promise<FuzzTarget>>> = {
  jpeg: async () => (await import('./jpeg.ts')).jpeg,
  png: async () => (await import('./png.ts')).png,
  gif: async () => (await import('./gif.ts')).gif,
  webp: async () => (await import('./webp.ts')).webp,
  exif: async () => (await import('./exif.ts')).exif,
  mp4: async () => (await import('./mp4.ts')).mp4,
  matroska: async () => (await import('./matroska.ts')).matroska,
  wav: async () => (await import('./wav.ts')).wav,
  flac: async () => (await import('./flac.ts')).flac,
  ogg: async () => (await import('./ogg.ts')).ogg,
  mp3: async () => (await import('./frames.ts')).mp3,
  adts: async () => (await import('./frames.ts')).adts,
  'jpeg-marks': async () => (await import('./marks.ts')).jpegMarks,
  'png-marks': async () => (await import('./marks.ts')).pngMarks,
  'gif-marks': async () => (await import('./marks.ts')).gifMarks,
  'webp-marks': async () => (await import('./marks.ts')).webpMarks,
  'mp4-marks': async () => (await import('./marks.ts')).mp4Marks,
  'webm-marks': async () => (await import('./marks.ts')).webmMarks,
  uploads: async () => (await import('./multipart.ts')).uploads,
  'chat-bodies': async () => (await import('./multipart.ts')).chatBodies,
  webhook: async () => (await import('./webhook.ts')).webhook,
  'service-answers': async () => (await import('./service-answers.ts')).serviceAnswers,
  'rate-cards': async () => (await import('./rate-cards.ts')).rateCards,
  money: async () => (await import('./money.ts')).money,
  'byte-ranges': async () => (await import('./byte-ranges.ts')).byteRanges,
  scripts: async () => (await import('./scripts.ts')).scripts,
  interactions: async () => (await import('./interactions.ts')).interactions,
  'page-messages': async () => (await import('./page-messages.ts')).pageMessages,
  'page-frames': async () => (await import('./page-messages.ts')).pageFrames,
  rtp: async () => (await import('./rtp.ts')).rtp,
  speech: async () => (await import('./speech.ts')).speech,
  'voice-gateway': async () => (await import('./voice-gateway.ts')).voiceGateway,
  dave: async () => (await import('./dave.ts')).dave,
  'wav-readers': async () => (await import('./wav-readers.ts')).wavReaders,
};

export const TARGET_NAMES: readonly string[] = Object.keys(TARGETS);

export async function loadTarget(name: string): Promise<FuzzTarget> {
  const load = TARGETS[name];
  if (!load) throw new TypeError(`Cannot attack "${name}": there is no such target`);
  return load();
}
