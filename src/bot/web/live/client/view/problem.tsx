import { useSession } from '../use-session.ts';

/** Shows which request failed, or what is wrong with the camera, and what to do next. */
export function Problem() {
  const { problem, camera } = useSession();
  const state = camera.state.value;
  const texts = [problem.value, state.kind === 'failed' ? state.text : null].filter((text) => text !== null);
  return (
    <div role="alert" class="problems">
      {texts.map((text) => (
        <p key={text} class="problem">
          {text}
        </p>
      ))}
    </div>
  );
}
