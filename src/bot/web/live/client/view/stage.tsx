import { useEffect, useRef } from 'preact/hooks';
import { LABEL } from '../picture/draw-altered.ts';
import { useSession } from '../use-session.ts';

/** Shows the camera's picture, and the picture that comes back. */
export function Stage({ isLive }: { readonly isLive: boolean }) {
  return (
    <div class="stage">
      <Before />
      <After isLive={isLive} />
    </div>
  );
}

function Before() {
  const { camera } = useSession();
  const video = useRef<HTMLVideoElement>(null);
  const state = camera.state.value;
  const stream = state.kind === 'on' ? state.stream : null;
  useEffect(() => {
    if (video.current) video.current.srcObject = stream;
  }, [stream]);
  return (
    <figure>
      <div class="picture">
        <video
          ref={video}
          aria-label="Your camera, as it is"
          autoPlay
          muted
          playsInline
          disablePictureInPicture
        />
        {!stream && <p class="empty">{state.kind === 'opening' ? 'Opening …' : 'No camera'}</p>}
      </div>
      <figcaption>
        Before <span class="quiet">– your camera, on this page alone</span>
      </figcaption>
    </figure>
  );
}

function After({ isLive }: { readonly isLive: boolean }) {
  const { picture, isShowing } = useSession();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    picture.attach(canvas.current);
    const resized = new ResizeObserver(() => picture.redraw());
    if (canvas.current) resized.observe(canvas.current);
    return () => {
      resized.disconnect();
      picture.attach(null);
    };
  }, [picture]);
  const isShown = isLive && isShowing.value;
  return (
    <figure>
      <div class={`picture ${isShown ? 'is-live' : ''}`}>
        <canvas ref={canvas} aria-hidden="true" />
        {isShown && <p class="hidden-visually">{LABEL}: your picture with another face</p>}
        {!isShown && (
          <p class="empty">{isLive ? 'Waiting for the first picture …' : 'Appears when you start'}</p>
        )}
      </div>
      <figcaption>
        After <span class="quiet">– AI-altered, what others see</span>
      </figcaption>
    </figure>
  );
}
