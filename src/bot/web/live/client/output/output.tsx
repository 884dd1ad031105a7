import { useEffect, useRef } from 'preact/hooks';
import { LABEL } from '../picture/draw-altered.ts';
import type { OutputLink, OutputState } from './output-link.ts';
import './output.css';

/** The messages for people who open the page in a browser; OBS does not show them. */
const SAID: Readonly<Record<OutputState, string>> = {
  opening: 'Connecting …',
  waiting: 'The picture appears here when it is live.',
  live: '',
  lost: 'The connection broke. It is tried again by itself.',
  ended: 'It has ended.',
  gone: 'This address does not work any more. Make a new one on the page of Live Swap Pro.',
};

/** The page with only the picture, which fills the whole window. */
export function Output({ link }: { readonly link: OutputLink }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const state = link.state.value;
  const isLive = state === 'live';
  useEffect(() => {
    link.picture.attach(canvas.current);
    const resized = new ResizeObserver(() => link.picture.redraw());
    if (canvas.current) resized.observe(canvas.current);
    return () => resized.disconnect();
  }, [link]);
  return (
    <>
      <h1 class="unseen">{isLive ? `${LABEL}: a live picture` : 'No picture'}</h1>
      <canvas ref={canvas} aria-hidden="true" />
      <output class="said">{SAID[state]}</output>
    </>
  );
}
