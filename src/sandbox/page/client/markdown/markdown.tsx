import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useChat } from '../store/use-chat.ts';
import { useNow } from '../parts/use-now.ts';
import './markdown.css';
import type { Block, Inline } from './nodes.ts';
import { parseBlocks } from './parse-blocks.ts';
import { Spoiler } from './spoiler.tsx';
import { timeText } from './time-text.ts';

/** Shows a message's text. */
export function Markdown({ text }: { readonly text: string }) {
  const blocks = useMemo(() => parseBlocks(text), [text]);
  return (
    <div class="markdown">
      <Blocks blocks={blocks} />
    </div>
  );
}

function Blocks({ blocks }: { readonly blocks: readonly Block[] }) {
  return blocks.map((block, index) => <BlockView key={index} block={block} />);
}

function BlockView({ block }: { readonly block: Block }) {
  switch (block.is) {
    case 'paragraph':
      return (
        <p>
          <Inlines parts={block.inner} />
        </p>
      );
    case 'small':
      return (
        <p class="subtext">
          <Inlines parts={block.inner} />
        </p>
      );
    case 'heading':
      return (
        <p class={`heading level-${block.level}`}>
          <Inlines parts={block.inner} />
        </p>
      );
    case 'quote':
      return (
        <blockquote>
          <Blocks blocks={block.blocks} />
        </blockquote>
      );
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      );
    case 'list':
      return <ListView block={block} />;
  }
}

function ListView({ block }: { readonly block: Extract<Block, { is: 'list' }> }) {
  const items = block.items.map((item, index) => (
    <li key={index}>
      <Inlines parts={item} />
    </li>
  ));
  return block.ordered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>;
}

function Inlines({ parts }: { readonly parts: readonly Inline[] }) {
  return parts.map((part, index) => <InlineView key={index} part={part} />);
}

function InlineView({ part }: { readonly part: Inline }) {
  switch (part.is) {
    case 'text':
      return part.text;
    case 'break':
      return <br />;
    case 'bold':
      return <Wrapped as="strong" parts={part.inner} />;
    case 'italics':
      return <Wrapped as="em" parts={part.inner} />;
    case 'underlined':
      return <Wrapped as="u" parts={part.inner} />;
    case 'struck':
      return <Wrapped as="s" parts={part.inner} />;
    case 'spoiler':
      return (
        <Spoiler>
          <Inlines parts={part.inner} />
        </Spoiler>
      );
    case 'code':
      return <code>{part.text}</code>;
    case 'link':
      return (
        <a href={part.url} target="_blank" rel="noreferrer">
          <Inlines parts={part.inner} />
        </a>
      );
    case 'user':
    case 'role':
    case 'channel':
      return <Mentioned part={part} />;
    case 'everyone':
      return <span class="mention">{part.text}</span>;
    case 'command':
      return <span class="mention">/{part.name}</span>;
    case 'emoji':
      return <span>:{part.name}:</span>;
    case 'time':
      return <Time seconds={part.seconds} style={part.style} />;
  }
}

interface WrappedProps {
  readonly as: 'strong' | 'em' | 'u' | 's';
  readonly parts: readonly Inline[];
}

function Wrapped({ as: Tag, parts }: WrappedProps) {
  return (
    <Tag>
      <Inlines parts={parts} />
    </Tag>
  );
}

function Mentioned({ part }: { readonly part: Extract<Inline, { readonly id: string }> }): ComponentChildren {
  const chat = useChat();
  const guild = chat.guild.value;
  if (part.is === 'user') return <span class="mention">@{chat.member(part.id)?.name ?? 'unknown'}</span>;
  if (part.is === 'role') {
    return (
      <span class="mention">@{guild?.roles.find(({ id }) => id === part.id)?.name ?? 'unknown role'}</span>
    );
  }
  const channel = chat.guilds.value.flatMap(({ channels }) => channels).find(({ id }) => id === part.id);
  if (!channel) return <span class="mention">#unknown</span>;
  return (
    <button type="button" class="mention" onClick={() => chat.openChannel(channel)}>
      #{channel.name}
    </button>
  );
}

function Time({ seconds, style }: { readonly seconds: number; readonly style: string }) {
  const chat = useChat();
  const now = useNow() + chat.clockAheadMs.value;
  const atMs = seconds * 1000;
  if (Math.abs(atMs) > 8.64e15) return <>{seconds}</>;
  return (
    <time class="time" dateTime={new Date(atMs).toISOString()} title={timeText(atMs, 'F', now)}>
      {timeText(atMs, style, now)}
    </time>
  );
}
