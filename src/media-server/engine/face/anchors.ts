/** Where the detector's 896 candidates sit: x, y of each anchor's centre in pixels of its 256 x 256 input. */
export const DETECTOR_ANCHORS: Float32Array = anchors([
  { stridePx: 16, perCell: 2 },
  { stridePx: 32, perCell: 6 },
]);

/** Width and height of the detector's input in pixels. */
export const DETECTOR_INPUT_SIZE = 256;

function anchors(layers: readonly { stridePx: number; perCell: number }[]): Float32Array {
  const centres: number[] = [];
  for (const { stridePx, perCell } of layers) {
    const cells = 256 / stridePx;
    for (let cell = 0; cell < cells * cells; cell++) {
      const x = ((cell % cells) + 0.5) * stridePx;
      const y = (Math.floor(cell / cells) + 0.5) * stridePx;
      for (let n = 0; n < perCell; n++) centres.push(x, y);
    }
  }
  return Float32Array.from(centres);
}
