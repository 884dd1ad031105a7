import { type Socket, createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { FakeClock } from '../../../helpers/fake-clock.ts';
import { type LinkListener, VoiceLink } from '../../../../src/bot/discord/voice/voice-link.ts';
import { makeCertificate } from '../../../../src/sandbox/voice/certificate.ts';
import { trustCertificate } from '../../../../src/sandbox/voice/trust-certificate.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';

interface ClientMessage {
  readonly op: number;
  readonly d: Record<string, unknown>;
}

/** A voice server that a test controls, including faults that a real server should never have. */
export class VoiceServerByHand {
  readonly endpoint: string;
  readonly udpPort: number;
  /** The messages from the client; of a binary message, only the opcode is recorded. */
  readonly received: ClientMessage[] = [];
  /** The datagrams with which the client asked for its address. */
  readonly discoveries: Buffer[] = [];
  /** The datagrams with which the client checked whether datagrams arrive. */
  readonly probes: Buffer[] = [];
  /** Whether the server returns probes. */
  echoes = false;
  readonly #udp: Socket;
  #socket: WebSocket | undefined;
  #client = { address: '', port: 0 };
  #connections = 0;

  constructor(endpoint: string, udp: Socket) {
    this.endpoint = endpoint;
    this.#udp = udp;
    this.udpPort = udp.address().port;
    udp.on('message', (datagram, from) => {
      this.#client = from;
      if (datagram.length === 74) this.discoveries.push(datagram);
      if (datagram.length !== 8) return;
      this.probes.push(datagram);
      if (this.echoes) this.datagram(datagram);
    });
  }

  get connections(): number {
    return this.#connections;
  }

  accept(socket: WebSocket): void {
    this.#connections += 1;
    this.#socket = socket;
    socket.on('message', (data: RawData, isBinary: boolean) => {
      const bytes = data as Buffer;
      const message = isBinary ? { op: bytes.readUInt8(0), d: {} } : JSON.parse(bytes.toString());
      this.received.push(message as ClientMessage);
    });
    this.json(8, { v: 8, heartbeat_interval: 60_000 });
  }

  json(op: number, d: unknown): void {
    this.text(JSON.stringify({ op, d }));
  }

  text(text: string): void {
    this.#socket?.send(text);
  }

  binary(bytes: readonly number[]): void {
    this.#socket?.send(Buffer.from(bytes));
  }

  close(code: number): void {
    this.#socket?.close(code);
  }

  datagram(bytes: Uint8Array, from: Socket = this.#udp): void {
    from.send(bytes, this.#client.port, this.#client.address);
  }

  /** Returns the number of times that the client sent this opcode. */
  count(op: number): number {
    return this.received.filter((message) => message.op === op).length;
  }

  answerDiscovery(): void {
    const answer = Buffer.alloc(74);
    answer.writeUInt16BE(2, 0);
    answer.writeUInt16BE(70, 2);
    answer.write('127.0.0.1', 8);
    answer.writeUInt16BE(this.#client.port, 72);
    this.datagram(answer);
  }

  ready(port: number = this.udpPort): void {
    this.json(2, { ssrc: 7, ip: '127.0.0.1', port, modes: ['aead_aes256_gcm_rtpsize'] });
  }

  describe(version = 0): void {
    const secret_key = Array.from({ length: 32 }, () => 7);
    this.json(4, { mode: 'aead_aes256_gcm_rtpsize', secret_key, dave_protocol_version: version });
  }
}

/** Completes the handshake with a client. */
export async function connect(server: VoiceServerByHand, version = 0): Promise<void> {
  await expect.poll(() => server.count(0)).toBe(1);
  server.ready();
  await expect.poll(() => server.discoveries.length).toBeGreaterThan(0);
  server.answerDiscovery();
  await expect.poll(() => server.count(1)).toBe(1);
  server.describe(version);
}

export interface LinkRecord {
  readonly server: VoiceServerByHand;
  readonly link: VoiceLink;
  readonly clock: FakeClock;
  /** The events of the link, in order. */
  readonly events: string[];
  readonly logged: readonly string[];
}

/** Creates a server and a link to it. The link trusts the server's certificate unless the options say otherwise. */
export async function useLink(
  options: { readonly trusts?: boolean; readonly endpoint?: string; readonly isAlone?: boolean } = {},
): Promise<LinkRecord> {
  const { trusts = true, endpoint = '', isAlone = true } = options;
  const { certificatePem: cert, keyPem: key } = makeCertificate('127.0.0.1');
  const https = createServer({ cert, key }).listen(0, '127.0.0.1');
  const udp = createSocket('udp4').bind(0, '127.0.0.1');
  await Promise.all([once(https, 'listening'), once(udp, 'listening')]);
  const server = new VoiceServerByHand(`127.0.0.1:${(https.address() as AddressInfo).port}`, udp);
  const sockets = new WebSocketServer({ server: https });
  sockets.on('connection', (socket) => server.accept(socket));
  const trust = trusts ? trustCertificate(cert) : undefined;
  const clock = new FakeClock();
  const events: string[] = [];
  const logged: string[] = [];
  const link = new VoiceLink({
    credentials: { endpoint: endpoint === '' ? server.endpoint : endpoint, token: 'abc', sessionId: 'def' },
    guildId: '1',
    channelId: '2',
    userId: '3',
    isAlone: () => isAlone,
    clock,
    log: recordingLogger(logged),
    listener: listenerTo(events),
  });
  onTestFinished(() => {
    link[Symbol.dispose]();
    trust?.[Symbol.dispose]();
    for (const socket of sockets.clients) socket.terminate();
    https.close();
    udp.close();
  });
  return { server, link, clock, events, logged };
}

function listenerTo(events: string[]): LinkListener {
  return {
    onReady: () => events.push('ready'),
    onResuming: () => events.push('resuming'),
    onClosed: (code) => events.push(`closed ${code}`),
    onRecovery: () => events.push('recovery'),
    onKeyFault: () => events.push('key fault'),
    onDatagram: (datagram) => {
      // The library itself handles the address response (74 bytes) and returned probes (8 bytes).
      if (datagram.length !== 74 && datagram.length !== 8) events.push(`datagram ${datagram.toString()}`);
    },
    onForeign: () => events.push('foreign'),
    onSpeaker: (userId, ssrc) => events.push(`speaker ${userId} ${ssrc}`),
    onKeys: () => undefined,
    onGone: (userId) => events.push(`gone ${userId}`),
  };
}
