import { isRecord } from '../../base/is-record.ts';
import { type Attachment, signPath } from './attachment.ts';
import type { Message } from './message.ts';
import type { Payload } from './payload.ts';
import type { World } from './world.ts';

const OF_MESSAGE = 'attachment://';

/** Returns an attachment as the API sends it, with a new link that is valid for a day. */
export function attachmentPayload(world: World, attachment: Attachment): Payload {
  const url = `${world.cdnBase}${attachment.path}${signPath(world.linkSecret, attachment.path, world.clock.now())}`;
  return {
    id: attachment.id,
    filename: attachment.filename,
    size: attachment.bytes.byteLength,
    url,
    proxy_url: url,
    content_type: attachment.contentType,
    ...(attachment.width === null ? {} : { width: attachment.width, height: attachment.height }),
    ...(attachment.description === null ? {} : { description: attachment.description }),
    ...(attachment.title === null ? {} : { title: attachment.title }),
    ...(attachment.ephemeral ? { ephemeral: true } : {}),
  };
}

/** Returns an embed whose `attachment://` links are replaced by links to the message's files. */
export function embedWithMedia(world: World, message: Message, embed: Payload): Payload {
  return replaced(embed, (copy) => {
    const isIcon = 'icon_url' in copy;
    const file = fileOf(message, copy['url'] ?? copy['icon_url']);
    if (!file) return copy;
    const { url, width, height } = attachmentPayload(world, file);
    if (isIcon) return { ...copy, icon_url: url, proxy_icon_url: url };
    return { ...copy, url, proxy_url: url, ...(width === undefined ? {} : { width, height }) };
  });
}

/** Returns a component with its media as the API sends them: with content type, link and id. */
export function componentWithMedia(world: World, message: Message, component: Payload): Payload {
  return replaced(component, (copy) => {
    const { media, file } = copy;
    if (isRecord(media)) {
      return { description: null, spoiler: false, ...copy, media: resolved(world, message, media) };
    }
    if (!isRecord(file)) return copy;
    const attachment = fileOf(message, file['url']);
    return {
      name: attachment?.filename ?? null,
      size: attachment?.bytes.byteLength ?? null,
      spoiler: false,
      ...copy,
      file: resolved(world, message, file),
    };
  });
}

function resolved(world: World, message: Message, { url: link }: Payload): Payload {
  const file = fileOf(message, link);
  if (!file) return { id: message.id, url: link, proxy_url: link };
  const { id, url, content_type, width, height } = attachmentPayload(world, file);
  return {
    id,
    attachment_id: id,
    url,
    proxy_url: url,
    content_type,
    ...(width === undefined ? {} : { width, height }),
  };
}

function fileOf(message: Message, link: unknown): Attachment | undefined {
  if (typeof link !== 'string' || !link.startsWith(OF_MESSAGE)) return undefined;
  const name = link.slice(OF_MESSAGE.length);
  return message.body.attachments.find(({ filename }) => filename === name);
}

/** Returns a copy in which every object has been passed through `change`, inner objects first. */
function replaced(value: Payload, change: (copy: Payload) => Payload): Payload {
  const copyOf = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(copyOf);
    if (!isRecord(node)) return node;
    return change(Object.fromEntries(Object.entries(node).map(([key, inner]) => [key, copyOf(inner)])));
  };
  return copyOf(value) as Payload;
}
