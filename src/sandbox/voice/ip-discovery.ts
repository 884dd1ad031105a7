const REQUEST = 1;
const RESPONSE = 2;
/** The number of bytes after the type and length fields. */
const BODY_BYTES = 70;
const PACKET_BYTES = BODY_BYTES + 4;
const ADDRESS_BYTES = 64;

/** Returns the SSRC of a client that requests its own address, or undefined for other datagrams. */
export function readDiscovery(datagram: Buffer): number | undefined {
  const fits =
    datagram.byteLength === PACKET_BYTES &&
    datagram.readUInt16BE(0) === REQUEST &&
    datagram.readUInt16BE(2) === BODY_BYTES;
  return fits ? datagram.readUInt32BE(4) : undefined;
}

/** Returns the response, which contains the address that the request came from. */
export function discoveryAnswer(ssrc: number, address: string, port: number): Buffer {
  const answer = Buffer.alloc(PACKET_BYTES);
  answer.writeUInt16BE(RESPONSE, 0);
  answer.writeUInt16BE(BODY_BYTES, 2);
  answer.writeUInt32BE(ssrc, 4);
  answer.write(address.slice(0, ADDRESS_BYTES - 1), 8, 'ascii');
  answer.writeUInt16BE(port, PACKET_BYTES - 2);
  return answer;
}
