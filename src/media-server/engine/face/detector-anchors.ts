/** Returns the centres of the detector's anchors as x, y in pixels of its `size` x `size` input. */
export function detectorAnchors(size: number): Float32Array {
  const centres: number[] = [];
  for (const { stridePx, perCell } of LAYERS) {
    const cells = size / stridePx;
    for (let cell = 0; cell < cells * cells; cell++) {
      const x = ((cell % cells) + 0.5) * stridePx;
      const y = (Math.floor(cell / cells) + 0.5) * stridePx;
      for (let n = 0; n < perCell; n++) centres.push(x, y);
    }
  }
  return Float32Array.from(centres);
}

const LAYERS = [
  { stridePx: 16, perCell: 2 },
  { stridePx: 32, perCell: 6 },
];
