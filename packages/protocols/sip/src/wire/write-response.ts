import type { Reply } from '@backlot/core/plugin';
import type { IncomingRequest } from '../incoming-request.js';

/** What is answered, without the headers that are copied from the request. */
export interface Answer {
  readonly status: number;
  readonly reason: string;
  /** Whole lines with their ends. */
  readonly headers: string;
  readonly body: Buffer | undefined;
  readonly hasContact: boolean;
  /** As the journal shows it: kept with each entry, so the same object where the answer is the same. */
  readonly reply: Reply;
}

/** An answer without anything but some headers. */
export function plainAnswer(status: number, reason: string, headers = ''): Answer {
  return { status, reason, headers, body: undefined, hasContact: false, reply: { status } };
}

/**
 * Puts an answer into a message (RFC 3261 section 8.2.6).
 *
 * @param tag - of this server's side, for a request that has none of it
 */
export function writeResponse(request: IncomingRequest, answer: Answer, tag: string): Buffer {
  const { vias, from, to, toTag, callId, cseq, method } = request;
  const { status, reason, headers, body } = answer;
  // Section 8.2.6.2: every answer but 100 has a tag.
  const tagged = toTag !== '' || status === 100 ? to : `${to};tag=${tag}`;
  let head = `SIP/2.0 ${status} ${reason}\r\n${vias}`;
  if (status > 100 && status < 300) {
    if (request.hasRecordRoute) {
      for (const route of request.valuesOf('record-route')) head += `Record-Route: ${route}\r\n`;
    }
    if (!answer.hasContact && makesDialog(method)) head += `Contact: ${contactFor(request)}\r\n`;
  }
  head += `From: ${from}\r\nTo: ${tagged}\r\nCall-ID: ${callId}\r\nCSeq: ${cseq}\r\n${headers}`;
  if (status === 100) for (const stamp of request.valuesOf('timestamp')) head += `Timestamp: ${stamp}\r\n`;
  if (body === undefined) return Buffer.from(`${head}Content-Length: 0\r\n\r\n`);
  return Buffer.concat([Buffer.from(`${head}Content-Length: ${body.length}\r\n\r\n`), body]);
}

/** RFC 3261 section 12.1.1, RFC 6665, RFC 3515 and RFC 3311: their answers say where the rest of the dialog goes. */
function makesDialog(method: string): boolean {
  return method === 'INVITE' || method === 'SUBSCRIBE' || method === 'REFER' || method === 'UPDATE';
}

function contactFor({ uri, source }: IncomingRequest): string {
  if (source.local === undefined) return `<${uri}>`;
  return `<sip:${source.local}${source.transport === 'tcp' ? ';transport=tcp' : ''}>`;
}
