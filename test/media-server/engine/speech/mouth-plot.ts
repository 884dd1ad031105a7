import sharp from 'sharp';
import type { MouthTrack } from '../../../../src/media-server/engine/animate/mouth-shape.ts';
import type { Phone } from '../../../../src/media-server/engine/speech/phone.ts';
import { PowerSpectrum } from '../../../../src/media-server/engine/speech/power-spectrum.ts';

const PIXELS_PER_SECOND = 320;
const CURVE_HEIGHT = 90;
const SPECTRUM_HEIGHT = 128;

export interface PlotOptions {
  readonly samples: Float32Array;
  readonly sampleRateHz: number;
  readonly tracks: Readonly<Record<string, MouthTrack>>;
  readonly phones?: readonly Phone[];
}

/** Draws a PNG: the spectrogram, the phones, and a row for each mouth-shape value, with one curve per track. */
export async function plotMouth(path: string, options: PlotOptions): Promise<void> {
  const { samples, sampleRateHz, phones = [] } = options;
  const width = Math.ceil((samples.length / sampleRateHz) * PIXELS_PER_SECOND);
  const rows = ['open', 'spread', 'press', 'tuck'] as const;
  const colours = ['#06c', '#d30', '#090', '#a0a'];
  const curves = rows.flatMap((part, row) =>
    Object.values(options.tracks).map((track, n) => {
      const top = SPECTRUM_HEIGHT + 20 + row * CURVE_HEIGHT;
      const points = Array.from({ length: width }, (_, x) => {
        const value = track.at(x / PIXELS_PER_SECOND)[part];
        const share = part === 'spread' ? 0.5 + value / 2 : value;
        return `${x},${(top + (CURVE_HEIGHT - 4) * (1 - share)).toFixed(1)}`;
      });
      return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[n]}" stroke-width="1.5"/>
        <text x="2" y="${top + 14 + n * 14}" font-size="12" fill="${colours[n]}">${part} ${Object.keys(options.tracks)[n]}</text>`;
    }),
  );
  const labels = phones.map(({ name, start, end }) => {
    const x = start * PIXELS_PER_SECOND;
    return `<line x1="${x}" x2="${x}" y1="0" y2="600" stroke="#0003"/>
      <text x="${((start + end) / 2) * PIXELS_PER_SECOND - 6}" y="${SPECTRUM_HEIGHT + 14}" font-size="13">${name}</text>`;
  });
  const height = SPECTRUM_HEIGHT + 20 + rows.length * CURVE_HEIGHT;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" font-family="sans-serif">
    ${labels.join('')}${curves.join('')}</svg>`;
  await sharp({ create: { width, height, channels: 3, background: '#fff' } })
    .composite([
      { input: await spectrogram(samples, sampleRateHz, width), left: 0, top: 0 },
      { input: Buffer.from(svg), left: 0, top: 0 },
    ])
    .png()
    .toFile(path);
}

function spectrogram(samples: Float32Array, sampleRateHz: number, width: number): Promise<Buffer> {
  const spectrum = new PowerSpectrum(512, Math.round(0.025 * sampleRateHz));
  const pixels = new Uint8Array(width * SPECTRUM_HEIGHT);
  for (let x = 0; x < width; x++) {
    const power = spectrum.of(samples, Math.round((x / PIXELS_PER_SECOND - 0.0125) * sampleRateHz));
    for (let y = 0; y < SPECTRUM_HEIGHT; y++) {
      const bin = Math.round(((SPECTRUM_HEIGHT - 1 - y) / SPECTRUM_HEIGHT) * (power.length - 1));
      const decibels = 10 * Math.log10((power[bin] ?? 0) + 1e-9);
      pixels[y * width + x] = Math.max(0, Math.min(255, 255 - (decibels + 35) * 4));
    }
  }
  return sharp(pixels, { raw: { width, height: SPECTRUM_HEIGHT, channels: 1 } })
    .png()
    .toBuffer();
}
