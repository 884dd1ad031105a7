import type { io } from '@tensorflow/tfjs-core';

/**
 * Lets a fully convolutional network take square inputs of other sizes than it was saved with: its input and the
 * last reshapes of its outputs name a fixed size, although nothing depends on it. `weights` is changed in place.
 */
export function freeInputSize(
  topology: GraphTopology,
  specs: readonly io.WeightsManifestEntry[],
  weights: ArrayBuffer,
): void {
  for (const { op, attr } of topology.node) {
    if (op !== 'Placeholder') continue;
    for (const dimension of attr.shape?.shape?.dim?.slice(1, 3) ?? []) dimension.size = '-1';
  }
  let offset = 0;
  for (const { name, shape } of specs) {
    // [1, anchors, values]: how many anchors there are follows from the size.
    if (name.endsWith('/shape')) new DataView(weights, offset).setInt32(4, -1, true);
    offset += 4 * shape.reduce((product, side) => product * side, 1);
  }
}

/** The part of a saved graph that is changed. */
export interface GraphTopology {
  readonly node: readonly {
    readonly op: string;
    readonly attr: { readonly shape?: { readonly shape?: { readonly dim?: { size: string }[] } } };
  }[];
}
