import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { useChat } from '../store/use-chat.ts';

const AT_END_PX = 80;

interface StayingAtEnd {
  readonly isAtEnd: boolean;
  /** Must be called for every scroll event of the element. */
  readonly scrolled: (event: { readonly currentTarget: HTMLElement }) => void;
  readonly toEnd: () => void;
}

/**
 * Keeps a list of messages scrolled to its end until the member scrolls up, even when new messages arrive or pictures
 * load later. The member's own messages are always shown.
 */
export function useStayingAtEnd(
  scroller: { readonly current: HTMLElement | null },
  channelId: string,
): StayingAtEnd {
  const chat = useChat();
  const [isAtEnd, setIsAtEnd] = useState(true);
  const stays = useRef(true);
  const last = useRef({ top: 0, roomPx: 0 });
  const settle = (value: boolean): void => {
    stays.current = value;
    setIsAtEnd(value);
  };
  const toEnd = (): void => {
    settle(true);
    scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
  };
  const height = useRef(0);
  const { messages } = chat.messagesOf(channelId).known.value;
  const newest = messages.at(-1);
  const oldestId = messages[0]?.id;
  const isOwn = (newest?.used?.by ?? newest?.author)?.id === chat.me.value?.id;
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return undefined;
    const follow = (): void => {
      if (stays.current) box.scrollTop = box.scrollHeight;
      height.current = box.scrollHeight;
    };
    const watcher = new ResizeObserver(follow);
    watcher.observe(box);
    for (const child of box.children) watcher.observe(child);
    follow();
    return () => watcher.disconnect();
  }, [scroller]);
  useLayoutEffect(() => {
    if (isOwn) toEnd();
  }, [newest?.id]);
  useLayoutEffect(() => {
    const box = scroller.current;
    // If older messages are added while the list is at the very top, a browser would otherwise jump to the oldest
    // message.
    if (box && !stays.current && box.scrollTop === 0) box.scrollTop = box.scrollHeight - height.current;
  }, [oldestId]);
  return {
    isAtEnd,
    toEnd,
    scrolled: ({ currentTarget: box }) => {
      const roomPx = box.scrollHeight - box.clientHeight;
      const isNear = roomPx - box.scrollTop < AT_END_PX;
      // Only scrolling up counts as leaving the end. A change in the content's size does not.
      if (isNear) settle(true);
      else if (roomPx === last.current.roomPx && box.scrollTop < last.current.top) settle(false);
      else if (stays.current) box.scrollTop = box.scrollHeight;
      last.current = { top: box.scrollTop, roomPx };
    },
  };
}
