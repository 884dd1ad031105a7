/** A dot on a channel or server with unread messages, and text for screen readers. */
export function UnreadMark() {
  return (
    <span class="unread-mark">
      <span class="hidden-visually">unread</span>
    </span>
  );
}
