import { useSession } from '../use-session.ts';

/** What was asked for and not done, or what is wrong with the camera; what to do next. */
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
