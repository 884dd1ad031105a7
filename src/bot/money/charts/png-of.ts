import sharp from 'sharp';

/** Each pixel of the chart becomes two pixels of the picture, so that phones show it small and sharp. */
export const SCALE = 2;

const DPI_OF_SVG = 72;

/** Turns a drawing into a PNG, with the fonts that `FONTCONFIG_FILE` lists. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  return sharp(Buffer.from(svg), { density: DPI_OF_SVG * SCALE })
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}
