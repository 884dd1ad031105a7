import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import type { PageMessage } from '../../message-views.ts';
import type { PageChannel } from '../../page-views.ts';
import '../message/message.css';
import { MessageRow } from '../message/message-row.tsx';
import { PendingUses } from '../message/pending-uses.tsx';
import { useChat } from '../store/use-chat.ts';
import { useStayingAtEnd } from './use-staying-at-end.ts';

const TOGETHER_MS = 7 * 60_000;

/** A channel's messages, newest last. The list stays scrolled to its end until the member scrolls up. */
export function MessageList({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  // Reading the signal renders the list again after a reload of all data, which may replace the channel's messages.
  void chat.loadedFor.value;
  const { messages, more, isLoaded } = chat.messagesOf(channel.id).known.value;
  const dismissed = useSignal<ReadonlySet<string>>(new Set());
  const scroller = useRef<HTMLElement>(null);
  const shown = messages.filter(({ id }) => !dismissed.value.has(id));
  const { isAtEnd, scrolled, toEnd } = useStayingAtEnd(scroller, channel.id);
  return (
    <div class="messages">
      <section
        ref={scroller}
        class="message-scroll"
        aria-label={`Messages in ${channel.name}`}
        // Keyboard users can scroll the list only if it can have focus.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        onScroll={scrolled}
      >
        <Beginning channel={channel} more={more} isLoaded={isLoaded} />
        <ol class="message-list" aria-live="polite" aria-relevant="additions" aria-busy={!isLoaded}>
          {shown.map((message, index) => (
            <MessageRow
              key={message.id}
              message={message}
              isContinued={isContinued(message, shown[index - 1])}
              onDismiss={() => {
                dismissed.value = new Set([...dismissed.value, message.id]);
                // The button that had focus no longer exists.
                scroller.current?.focus({ preventScroll: true });
              }}
            />
          ))}
        </ol>
        <PendingUses channelId={channel.id} />
      </section>
      {!isAtEnd && (
        <button type="button" class="to-end" onClick={toEnd}>
          To the newest messages
        </button>
      )}
      <Typists channel={channel} />
    </div>
  );
}

interface BeginningProps {
  readonly channel: PageChannel;
  readonly more: boolean;
  readonly isLoaded: boolean;
}

function Beginning({ channel, more, isLoaded }: BeginningProps) {
  const chat = useChat();
  const bot = chat.bot.value;
  if (!isLoaded) return <p class="beginning quiet">Loading messages ...</p>;
  if (more) {
    return (
      <p class="beginning">
        <button type="button" onClick={() => void chat.loadOlder(channel.id)}>
          Show older messages
        </button>
      </p>
    );
  }
  return (
    <header class="beginning">
      <h2>{channel.kind === 'dm' ? channel.name : `Welcome to ${channel.name}`}</h2>
      <p class="quiet">
        {channel.may.run_commands
          ? `Type / below to see what ${bot?.name ?? 'the bot'} can do.`
          : 'Here you may only read.'}
      </p>
    </header>
  );
}

function Typists({ channel }: { readonly channel: PageChannel }) {
  const chat = useChat();
  const names = chat.typing.typists.value
    .filter(({ channelId }) => channelId === channel.id)
    .map(({ userId }) => chat.member(userId)?.name ?? 'Somebody');
  return <p class="typists small quiet">{names.length > 0 && `${names.join(', ')} is typing ...`}</p>;
}

function isContinued(message: PageMessage, before: PageMessage | undefined): boolean {
  if (!before || message.used || message.reply_to) return false;
  const isSameKind = before.author.id === message.author.id && before.ephemeral === message.ephemeral;
  return isSameKind && message.created_at_ms - before.created_at_ms < TOGETHER_MS;
}
