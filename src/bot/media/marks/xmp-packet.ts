import { type SourceType, sourceTypeUri } from './source-type.ts';

/** The size limit of a file's own XMP packet. A larger packet is dropped. */
export const XMP_BYTES_MAX: number = 1 << 20;

const NAMESPACE = 'http://iptc.org/std/Iptc4xmpExt/2008-02-29/';
const RDF_NAMESPACE = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
const RDF_END = '</rdf:RDF>';
/**
 * Matching `ATTRIBUTE` and `ELEMENT` takes linear time, because an attribute can only start at the first of several
 * spaces, and an element must end before another element begins.
 */
const ATTRIBUTE = /(?<!\s)\s+[\w.-]+:DigitalSourceType\s*=\s*(?:"[^"]*"|'[^']*')/g;
/** Matches the empty wrapper that remains of the bot's own earlier statement when its element has been removed. */
const EMPTY_STATEMENT =
  /<rdf:Description rdf:about="[^"]*" xmlns:Iptc4xmpExt="[^"]*"><\/rdf:Description>\n?/g;
const ELEMENT = /<([\w.-]+:DigitalSourceType)\b[^<>]*?(?:\/>|>[^<]*<\/\1\s*>)/g;

/**
 * Returns an XMP packet that states how a file was made. `earlier` is the file's own packet. Its other statements are
 * kept, unless the packet cannot be read.
 */
export function xmpPacket(type: SourceType, earlier?: Uint8Array): Uint8Array {
  const kept = earlier === undefined ? undefined : readable(earlier);
  return new TextEncoder().encode(kept === undefined ? fresh(type) : merged(kept, type));
}

function fresh(type: SourceType): string {
  return [
    '<?xpacket begin="\uFEFF" id="W5M0MpCehiHzreSzNTczkc9d"?>',
    `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="${RDF_NAMESPACE}">`,
    statement(type, ''),
    `${RDF_END}</x:xmpmeta>`,
    '<?xpacket end="w"?>',
  ].join('\n');
}

function merged(packet: string, type: SourceType): string {
  const rest = packet.replace(ATTRIBUTE, '').replace(ELEMENT, '').replace(EMPTY_STATEMENT, '');
  const at = rest.lastIndexOf(RDF_END);
  const about = /\brdf:about\s*=\s*"([^"<&]*)"/.exec(rest)?.[1] ?? '';
  return `${rest.slice(0, at)}${statement(type, about)}\n${rest.slice(at)}`;
}

function statement(type: SourceType, about: string): string {
  const value = `<Iptc4xmpExt:DigitalSourceType>${sourceTypeUri(type)}</Iptc4xmpExt:DigitalSourceType>`;
  return `<rdf:Description rdf:about="${about}" xmlns:Iptc4xmpExt="${NAMESPACE}">${value}</rdf:Description>`;
}

/** Returns the text of a packet, or `undefined` if no statement can be added to it. */
function readable(packet: Uint8Array): string | undefined {
  if (packet.byteLength > XMP_BYTES_MAX) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(packet);
    return text.includes(RDF_END) ? text : undefined;
  } catch {
    return undefined;
  }
}
