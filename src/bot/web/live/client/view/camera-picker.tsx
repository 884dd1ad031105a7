import { useSession } from '../use-session.ts';

/** Shows which camera is open, and opens the one that the member selects. */
export function CameraPicker() {
  const session = useSession();
  const { state, choices } = session.camera;
  const now = state.value;
  const isOpen = now.kind === 'on';
  return (
    <div class="camera-picker">
      <label>
        <span class="small quiet">Camera</span>
        <select
          disabled={choices.value.length === 0}
          value={isOpen ? now.id : ''}
          onChange={({ currentTarget }) => session.openCamera(currentTarget.value)}
        >
          {!isOpen && <option value="">{now.kind === 'opening' ? 'Opening …' : 'None is open'}</option>}
          {choices.value.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {(now.kind === 'failed' || now.kind === 'off') && (
        <button onClick={() => session.openCamera()}>
          {now.kind === 'off' ? 'Open my camera' : 'Try again'}
        </button>
      )}
    </div>
  );
}
