/** A finished picture. Width and height are in pixels. */
export interface RenderedImage {
  readonly width: number;
  readonly height: number;
  readonly mime: 'image/jpeg' | 'image/png';
}

/** A finished clip. Width and height are in pixels as displayed. */
export interface RenderedVideo {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly mime: 'video/mp4';
}

/** The sizes of produced video: the shorter side in pixels, as in "720p". */
export type ResolutionP = 480 | 720 | 1080;
