import type { IncomingRequest } from './incoming-request.js';
import { ALLOW, isKnownMethod } from './methods.js';
import { parameterOf, splitList } from './wire/fields.js';
import { reasonOf } from './wire/reasons.js';
import { plainAnswer, type Answer } from './wire/write-response.js';

const DEFAULT_EXPIRES = 3600;
/** Each comes back, and is longer than what it takes to name it. */
const MAX_CONTACTS = 100;

/** An answer with the RFC's own reason. */
export function statusAnswer(status: number, headers = ''): Answer {
  return plainAnswer(status, reasonOf(status), headers);
}

/** What a request gets that no mock matches. @param endsOwnCall - whether it is the BYE of a call that was taken here */
export function answerUnmocked(request: IncomingRequest, endsOwnCall: boolean): Answer {
  const { method } = request;
  if (method === 'OPTIONS') {
    return statusAnswer(200, `Allow: ${ALLOW}\r\nAccept: application/sdp\r\nSupported: \r\n`);
  }
  if (method === 'REGISTER') return answerRegister(request);
  if (endsOwnCall) return statusAnswer(200);
  return isKnownMethod(method) ? statusAnswer(404) : statusAnswer(405, `Allow: ${ALLOW}\r\n`);
}

/** What the headers of a request forbid; `undefined` when it can be served. */
export function refuseByHeaders(request: IncomingRequest): Answer | undefined {
  const { refusal, method } = request;
  if (refusal !== undefined) return plainAnswer(refusal.status, refusal.reason);
  // RFC 3261 section 8.2.2.3: no extension is supported, and CANCEL has none.
  if (method === 'CANCEL') return undefined;
  if (!request.hasRequire) return undefined;
  const required = request.valuesOf('require');
  if (required.every((value) => value === '')) return undefined;
  return statusAnswer(420, `Unsupported: ${required.join(', ')}\r\n`);
}

/** RFC 3261 section 10.3: the bindings as they are now, which are those of the request. */
function answerRegister(request: IncomingRequest): Answer {
  const [expires] = request.valuesOf('expires');
  const wanted = secondsOf(expires) ?? DEFAULT_EXPIRES;
  let headers = '';
  let hasBinding = false;
  const contacts: string[] = [];
  for (const value of request.valuesOf('contact')) {
    contacts.push(...splitList(value));
    if (contacts.length > MAX_CONTACTS) return plainAnswer(400, 'Too Many Contacts');
  }
  for (const contact of contacts) {
    if (contact === '*') continue;
    const own = parameterOf(contact, 'expires');
    const seconds = own === undefined ? wanted : (secondsOf(own) ?? DEFAULT_EXPIRES);
    if (seconds === 0) continue;
    hasBinding = true;
    headers += `Contact: ${own === undefined ? `${bracketed(contact)};expires=${seconds}` : contact}\r\n`;
  }
  if (expires !== undefined || hasBinding) headers += `Expires: ${wanted}\r\n`;
  const answer = statusAnswer(200, headers);
  return { ...answer, hasContact: true };
}

function secondsOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,10}$/.test(value) ? Number(value) : undefined;
}

/** Without brackets a parameter behind a URI would be one of the URI. */
function bracketed(contact: string): string {
  return contact.includes('<') ? contact : `<${contact}>`;
}
