import sharp from 'sharp';
import { powerSpectrum } from '../../../audio/analysis.ts';

const HEIGHT = 256;
const RANGE_DB = 70;

/** Draws a spectrogram: time to the right (4 ms a column), 0 to 8 kHz upwards, loud is bright. */
export async function writeSpectrogram(
  samples: Float32Array,
  sampleRateHz: number,
  path: string,
): Promise<void> {
  const size = sampleRateHz > 24_000 ? 1024 : 512;
  const hop = Math.round(sampleRateHz / 250);
  const width = Math.floor((samples.length - size) / hop);
  const picture = new Uint8Array(width * HEIGHT);
  const levels = Array.from({ length: width }, (_, column) =>
    powerSpectrum(samples, column * hop, size).map((power) => 10 * Math.log10(power + 1e-9)),
  );
  const loudest = levels.reduce((most, column) => Math.max(most, ...column), -Infinity);
  levels.forEach((column, x) => {
    for (let y = 0; y < HEIGHT; y++) {
      const bin = Math.floor((((HEIGHT - 1 - y) / HEIGHT) * 8000 * size) / sampleRateHz);
      const level = 1 + ((column[bin] ?? -200) - loudest) / RANGE_DB;
      picture[y * width + x] = Math.max(0, Math.min(255, Math.round(255 * level)));
    }
  });
  await sharp(picture, { raw: { width, height: HEIGHT, channels: 1 } })
    .png()
    .toFile(path);
}
