/** A finished picture; width and height in pixels. */
export interface RenderedImage {
  readonly width: number;
  readonly height: number;
  readonly mime: 'image/jpeg' | 'image/png';
}

/** A finished clip; width and height in pixels as it is shown. */
export interface RenderedVideo {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly mime: 'video/mp4';
}

/** Heights of produced video, in pixels of the shorter side as with "720p". */
export type ResolutionP = 480 | 720 | 1080;
