/**
 * Landmarks that neither speech nor facial expressions move much: the bridge and sides of the nose, temples, upper
 * cheeks, corners of the eyes and hairline. Their rotation therefore shows the head's rotation.
 */
export const STILL_POINTS: readonly number[] = [
  6, 197, 195, 5, 4, 168, 122, 351, 196, 419, 3, 248, 236, 456, 198, 420, 33, 263, 133, 362, 127, 356, 34,
  264, 162, 389, 234, 454, 116, 345, 143, 372, 10, 338, 109, 297, 67, 21, 251, 54, 284, 93, 323,
];

/** Returns x, y, z of the points in `which`, one after the other. */
export function pickPoints(landmarks: Float32Array, which: readonly number[]): Float32Array {
  const picked = new Float32Array(which.length * 3);
  for (const [n, point] of which.entries()) picked.set(landmarks.subarray(point * 3, point * 3 + 3), n * 3);
  return picked;
}
