import { type Upload, contentTypeByName } from '../chat/attachment.ts';
import type { Guild, Member } from '../chat/guild.ts';
import { makeFile } from '../chat/messages.ts';
import type { Payload } from '../chat/payload.ts';
import { attachmentPayload } from '../chat/message-media.ts';
import {
  bareMemberPayload,
  channelPayload,
  permissionText,
  rolePayload,
  userPayload,
} from '../chat/payloads.ts';
import type { Application } from '../chat/user.ts';
import type { World } from '../chat/world.ts';

/** A file that a member chooses. */
export interface FileInput {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** The content type that the chat reports for the file. Default: derived from the extension. */
  readonly contentType?: string;
}

/** The data for the `resolved` field of an interaction. */
export interface Resolution {
  readonly world: World;
  readonly application: Application;
  readonly guild: Guild | null;
  readonly resolved: Record<string, Record<string, Payload>>;
}

/** Whether Discord's client offers a file for an option with these types. The client checks only the extension. */
export function isOfferedType(fileTypes: readonly string[] | null | undefined, file: FileInput): boolean {
  if (!fileTypes || fileTypes.length === 0) return true;
  const name = file.name.toLowerCase();
  const kind = contentTypeByName(name).split('/', 1)[0] ?? '';
  return fileTypes.some((type) => type === kind || (type.startsWith('.') && name.endsWith(type)));
}

/** Uploads a file for an interaction. Returns its id. */
export function resolveFile({ world, application, resolved }: Resolution, file: FileInput): string {
  const stored = makeFile(world, `/ephemeral-attachments/${application.id}`, toUpload(file), {
    ephemeral: true,
  });
  world.files.keep(stored);
  (resolved['attachments'] ??= {})[stored.id] = attachmentPayload(world, stored);
  return stored.id;
}

/** Returns the file with the content type that Discord would assign. */
export function toUpload(file: FileInput): Upload {
  return {
    name: file.name,
    contentType: file.contentType ?? contentTypeByName(file.name),
    bytes: file.bytes,
  };
}

/** Adds a user, role or channel of the guild to `resolved`. Returns undefined if nothing has this id. */
export function resolveEntity({ world, guild, resolved }: Resolution, id: string): string | undefined {
  const user = world.users.get(id);
  const role = guild?.roles.get(id);
  const channel = guild?.channels.get(id);
  if (user) {
    (resolved['users'] ??= {})[id] = userPayload(user);
    const member = guild?.members.get(id);
    if (guild && member) (resolved['members'] ??= {})[id] = resolvedMember(guild, member);
  } else if (role) {
    (resolved['roles'] ??= {})[id] = rolePayload(role);
  } else if (channel) {
    (resolved['channels'] ??= {})[id] = { ...channelPayload(channel), permissions: '0' };
  } else {
    return undefined;
  }
  return id;
}

/** Returns a member for `resolved`: without its user, with its permissions. */
export function resolvedMember(guild: Guild, member: Member): Payload {
  return { ...bareMemberPayload(member), permissions: permissionText(guild, member) };
}
