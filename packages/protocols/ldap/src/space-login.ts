import { parseDn } from './data/dn.js';
import type { BindRequest } from './wire/request.js';

/** The name of a bind as spaces see it. */
export interface SpaceLogin {
  /** `t1` or `t1+user` where it names a space. */
  readonly name: string;
  /** The same bind with another name. */
  as(user: string): BindRequest;
}

/** What says what a name is, in SASL (RFC 4513, section 5.2.1.8). */
const PREFIX = /^(?:u|dn):/i;
const PLAIN = /^[a-z0-9-]+(?:\+|$)/;

/** Who binds: the name itself, or, where it is a DN, as many clients want it, the value that it begins with. */
export function spaceLogin(request: BindRequest): SpaceLogin {
  const { sasl } = request;
  if (sasl === undefined) return { name: nameIn(request.name), as: (name) => ({ ...request, name }) };
  const [authorization = '', user = '', ...rest] = sasl.credentials?.toString('utf8').split('\0') ?? [];
  const as = (name: string): BindRequest => ({
    ...request,
    sasl: { ...sasl, credentials: Buffer.from([authorization, name, ...rest].join('\0')) },
  });
  return { name: nameIn(user), as };
}

function nameIn(given: string): string {
  const name = given.replace(PREFIX, '');
  if (PLAIN.test(name) || !name.includes('=')) return name;
  try {
    return parseDn(name).parts[0]?.[0]?.value.toString('utf8') ?? name;
  } catch {
    // What is no DN is refused by the bind.
    return name;
  }
}
