import { Socket } from 'node:dgram';
import type { RemoteInfo } from 'node:dgram';
import type { VoiceUDPSocket } from '@discordjs/voice';
import { z } from 'zod';

export interface DatagramListener {
  readonly onDatagram: (datagram: Buffer) => void;
  /** Called for a datagram that did not come from the voice server. Anyone can send datagrams to the bot's port. */
  readonly onForeign: () => void;
}

const remoteOf = z.object({ ip: z.string(), port: z.number() });

/**
 * Listens to one of the library's sockets. Errors while sending (on a timer, to an impossible address, or from a closed
 * socket) do not end the process. Throws `TypeError` if the library's internal parts are not as expected.
 */
export function guardUdp(udp: VoiceUDPSocket, { onDatagram, onForeign }: DatagramListener): void {
  const socket: unknown = Reflect.get(udp, 'socket');
  if (!(socket instanceof Socket)) throw new TypeError('Cannot use voice: VoiceUDPSocket has no "socket"');
  const { ip, port } = remoteOf.parse(Reflect.get(udp, 'remote'));
  const send = udp.send.bind(udp);
  udp.send = (datagram) => {
    try {
      send(datagram);
    } catch {
      // UDP does not guarantee delivery anyway.
    }
  };
  socket.on('message', (datagram: Buffer, from: RemoteInfo) => {
    if (from.address === ip && from.port === port) onDatagram(datagram);
    else onForeign();
  });
}

const DISCOVERY_SIZE = 74;

/** Returns the request that asks for the bot's own public address. */
export function discoveryRequest(ssrc: number): Buffer {
  const request = Buffer.alloc(DISCOVERY_SIZE);
  request.writeUInt16BE(1, 0);
  request.writeUInt16BE(DISCOVERY_SIZE - 4, 2);
  request.writeUInt32BE(ssrc, 4);
  return request;
}
