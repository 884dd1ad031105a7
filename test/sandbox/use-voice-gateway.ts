import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { expect, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { Sandbox } from '../../src/sandbox/sandbox.ts';
import type { SandboxChannel, SandboxGuild } from '../../src/sandbox/script/sandbox-guild.ts';
import { type RawGateway, identify, useGateway } from './use-gateway.ts';

type Data = Record<string, unknown>;

/** The data that a bot receives when it joins a channel. */
export interface Admission {
  readonly gateway: RawGateway;
  readonly endpoint: string;
  /** The data (`d`) of a valid voice IDENTIFY. */
  readonly identity: Data;
}

/** A voice connection after HELLO, without a client library. */
export interface RawVoice {
  send(op: number, data: unknown): void;
  sendText(text: string): void;
  /** Resolves with the data (`d`) of the first message with this opcode. */
  frame(op: number): Promise<Data>;
  readonly frames: readonly { readonly op: number; readonly d: Data; readonly seq?: number }[];
  readonly closed: Promise<number>;
}

/** Joins a channel over the main gateway without any client library. */
export async function admitted(
  sandbox: Sandbox,
  guild: SandboxGuild,
  channel: SandboxChannel,
): Promise<Admission> {
  const gateway = await useGateway(sandbox);
  gateway.send(identify(sandbox, { intents: (1 << 0) | (1 << 7) }));
  const event = (name: string): Data | undefined =>
    gateway.frames.find(({ t }) => t === name)?.d as Data | undefined;
  await expect.poll(() => event('GUILD_CREATE')).toBeDefined();
  const self = { guild_id: guild.id, channel_id: channel.id, self_mute: false, self_deaf: false };
  gateway.send({ op: 4, d: self });
  await expect.poll(() => event('VOICE_SERVER_UPDATE')).toBeDefined();
  const server = event('VOICE_SERVER_UPDATE') ?? {};
  const { user_id: userId, session_id: sessionId } = event('VOICE_STATE_UPDATE') ?? {};
  expect(sessionId).toBe(event('READY')?.['session_id']);
  return {
    gateway,
    endpoint: String(server['endpoint']),
    identity: {
      server_id: guild.id,
      user_id: userId,
      session_id: sessionId,
      token: server['token'],
      max_dave_protocol_version: 1,
    },
  };
}

/** Connects to a voice gateway and waits for HELLO. */
export async function useVoiceGateway(sandbox: Sandbox, endpoint: string): Promise<RawVoice> {
  const socket = new WebSocket(`wss://${endpoint}/?v=8`, { ca: sandbox.caPem });
  onTestFinished(() => socket.terminate());
  const frames: { op: number; d: Data; seq?: number }[] = [];
  socket.on('message', (data: Buffer, isBinary) => {
    if (!isBinary) frames.push(JSON.parse(data.toString()) as { op: number; d: Data });
  });
  const closed = once(socket, 'close').then(([code]) => Number(code));
  const frame = async (op: number): Promise<Data> => {
    await expect.poll(() => frames.some((entry) => entry.op === op)).toBe(true);
    return frames.find((entry) => entry.op === op)?.d ?? {};
  };
  await frame(8);
  return {
    send: (op, d) => socket.send(JSON.stringify({ op, d })),
    sendText: (text) => socket.send(text),
    frame,
    frames,
    closed,
  };
}

/** Opens a UDP port that sends datagrams to the voice server and records its answers. */
export async function useDatagrams(to: Data): Promise<{
  send(datagram: Uint8Array): void;
  readonly received: readonly Buffer[];
  readonly port: number;
}> {
  const socket = createSocket('udp4');
  const received: Buffer[] = [];
  socket.on('message', (datagram) => received.push(datagram));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  onTestFinished(() => void socket.close());
  return {
    send: (datagram) => socket.send(datagram, Number(to['port']), String(to['ip'])),
    received,
    port: socket.address().port,
  };
}

/** Creates the packet with which a client asks for its own address. */
export function discoveryQuestion(ssrc: number): Buffer {
  const question = Buffer.alloc(74);
  question.writeUInt16BE(1, 0);
  question.writeUInt16BE(70, 2);
  question.writeUInt32BE(ssrc, 4);
  return question;
}
