import sharp from 'sharp';

/** The picture is twice as wide and as high as the chart, so that it is sharp on phone screens. */
const SCALE = 2;

const DPI_OF_SVG = 72;

/** Converts an SVG into a PNG, with the fonts that `FONTCONFIG_FILE` lists. */
export async function pngOf(svg: string): Promise<Uint8Array> {
  return sharp(Buffer.from(svg), { density: DPI_OF_SVG * SCALE })
    .removeAlpha()
    .png({ compressionLevel: 9 })
    .toBuffer();
}
