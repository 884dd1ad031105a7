import { type AvFrame, type NodeAv, mustSucceed } from './node-av.ts';

/** The target format of decoded pictures. */
interface PictureShape {
  readonly width: number;
  readonly height: number;
  /** The clockwise rotation that makes the pictures upright. */
  readonly rotation: 0 | 90 | 180 | 270;
}

type FilterContext = InstanceType<NodeAv['FilterContext']>;

/**
 * Rotates and scales pictures and converts them to 4:2:0 in one size. The colour space is kept; the range becomes
 * limited.
 */
export class PictureScaler implements Disposable {
  readonly #av: NodeAv;
  readonly #shape: PictureShape;
  #chain: Chain | undefined;

  constructor(av: NodeAv, shape: PictureShape) {
    this.#av = av;
    this.#shape = shape;
  }

  /** Returns `frame` in the new shape: the frame itself if it already has that shape, otherwise `into`. */
  async scale(frame: AvFrame, into: AvFrame): Promise<AvFrame> {
    if (this.#isRight(frame)) return frame;
    const input = describe(frame);
    if (this.#chain?.input !== input) {
      this[Symbol.dispose]();
      this.#chain = await this.#build(frame, input);
    }
    const { source, sink } = this.#chain;
    into.unref();
    mustSucceed(this.#av, await source.buffersrcAddFrame(frame), 'scale a picture');
    mustSucceed(this.#av, await sink.buffersinkGetFrame(into), 'scale a picture');
    return into;
  }

  [Symbol.dispose](): void {
    this.#chain?.graph.free();
    this.#chain = undefined;
  }

  #isRight(frame: AvFrame): boolean {
    const { width, height, rotation } = this.#shape;
    return (
      rotation === 0 &&
      frame.width === width &&
      frame.height === height &&
      frame.format === this.#av.AV_PIX_FMT_YUV420P &&
      frame.colorRange !== this.#av.AVCOL_RANGE_JPEG
    );
  }

  async #build(frame: AvFrame, input: string): Promise<Chain> {
    const av = this.#av;
    const graph = new av.FilterGraph();
    graph.alloc();
    try {
      const buffer = av.Filter.getByName('buffer');
      const buffersink = av.Filter.getByName('buffersink');
      const source = buffer && graph.createFilter(buffer, 'source', input);
      const sink = buffersink && graph.createFilter(buffersink, 'sink');
      if (!source || !sink) throw new Error('Cannot scale pictures: FFmpeg lacks its filters');
      const outputs = av.FilterInOut.createList([{ name: 'in', filterCtx: source, padIdx: 0 }]);
      const inputs = av.FilterInOut.createList([{ name: 'out', filterCtx: sink, padIdx: 0 }]);
      const steps = `[in]${this.#steps(frame)}[out]`;
      mustSucceed(av, graph.parsePtr(steps, inputs, outputs), 'scale pictures');
      mustSucceed(av, await graph.config(), 'scale pictures');
      return { input, graph, source, sink };
    } catch (error) {
      graph.free();
      throw error;
    }
  }

  #steps(frame: AvFrame): string {
    const { width, height, rotation } = this.#shape;
    const turn = { 0: [], 90: ['transpose=clock'], 180: ['hflip', 'vflip'], 270: ['transpose=cclock'] }[
      rotation
    ];
    const isRgb = frame.colorSpace === this.#av.AVCOL_SPC_RGB;
    const scale = `scale=${width}:${height}:flags=bicubic:out_range=limited`;
    return [...turn, `${scale}${isRgb ? ':out_color_matrix=bt709' : ''}`, 'format=yuv420p', 'setsar=1'].join(
      ',',
    );
  }
}

interface Chain {
  readonly input: string;
  readonly graph: InstanceType<NodeAv['FilterGraph']>;
  readonly source: FilterContext;
  readonly sink: FilterContext;
}

/** Returns the properties that the filters depend on. Each of them may change within a clip. */
function describe({ width, height, format, colorSpace, colorRange }: AvFrame): string {
  const size = `video_size=${width}x${height}:pix_fmt=${format}:time_base=1/1000000`;
  return `${size}:colorspace=${colorSpace}:range=${colorRange}`;
}
