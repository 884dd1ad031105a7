/** A dot on a channel or server in which there is something new, and a word for those who do not see it. */
export function UnreadMark() {
  return (
    <span class="unread-mark">
      <span class="hidden-visually">unread</span>
    </span>
  );
}
