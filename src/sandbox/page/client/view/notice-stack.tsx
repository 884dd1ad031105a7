import { useChat } from '../store/use-chat.ts';

/** The notices about failed actions. */
export function NoticeStack() {
  const { notices } = useChat();
  return (
    <output class="notices">
      {notices.shown.value.map(({ id, text }) => (
        <div key={id} class="notice">
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={() => notices.dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </output>
  );
}
