/** A closed outline for distance computations. Create it once per frame and use it for each cell. */
export class Polygon {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
  /** Five numbers per edge: x, y, the vector to the next point, and 1 / its squared length. */
  readonly edges: Float64Array;

  /** Creates the outline through the points at `indices` of `points` (x, y, z per point). */
  constructor(points: Float32Array, indices: readonly number[]) {
    this.edges = new Float64Array(indices.length * 5);
    let [left, top, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let n = 0; n < indices.length; n++) {
      const a = (indices[n] ?? 0) * 3;
      const b = (indices[(n + 1) % indices.length] ?? 0) * 3;
      const x = points[a] ?? 0;
      const y = points[a + 1] ?? 0;
      const dx = (points[b] ?? 0) - x;
      const dy = (points[b + 1] ?? 0) - y;
      this.edges.set([x, y, dx, dy, 1 / Math.max(dx * dx + dy * dy, 1e-12)], n * 5);
      left = Math.min(left, x);
      right = Math.max(right, x);
      top = Math.min(top, y);
      bottom = Math.max(bottom, y);
    }
    this.left = left;
    this.top = top;
    this.right = right;
    this.bottom = bottom;
  }

  /** Returns the distance of (x, y) to the outline, positive inside and negative outside. */
  depth(x: number, y: number): number {
    const edges = this.edges;
    let nearest = Infinity;
    let inside = false;
    for (let at = 0; at < edges.length; at += 5) {
      const px = x - (edges[at] ?? 0);
      const py = y - (edges[at + 1] ?? 0);
      const dx = edges[at + 2] ?? 0;
      const dy = edges[at + 3] ?? 0;
      const along = Math.min(1, Math.max(0, (px * dx + py * dy) * (edges[at + 4] ?? 0)));
      const ex = px - along * dx;
      const ey = py - along * dy;
      nearest = Math.min(nearest, ex * ex + ey * ey);
      if (py < 0 !== py < dy && px < (py * dx) / dy) inside = !inside;
    }
    return inside ? Math.sqrt(nearest) : -Math.sqrt(nearest);
  }

  /**
   * Returns whether (x, y) is within `margin` of the outline's bounding box, as a cheap check before `depth`.
   */
  near(x: number, y: number, margin: number): boolean {
    return (
      x >= this.left - margin &&
      x <= this.right + margin &&
      y >= this.top - margin &&
      y <= this.bottom + margin
    );
  }
}
