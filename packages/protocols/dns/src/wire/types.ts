/** Record and query types by number (IANA "Resource Record (RR) TYPEs"). */
const NAMES: ReadonlyMap<number, string> = new Map([
  [1, 'A'],
  [2, 'NS'],
  [5, 'CNAME'],
  [6, 'SOA'],
  [12, 'PTR'],
  [13, 'HINFO'],
  [15, 'MX'],
  [16, 'TXT'],
  [17, 'RP'],
  [28, 'AAAA'],
  [29, 'LOC'],
  [33, 'SRV'],
  [35, 'NAPTR'],
  [39, 'DNAME'],
  [41, 'OPT'],
  [43, 'DS'],
  [44, 'SSHFP'],
  [46, 'RRSIG'],
  [47, 'NSEC'],
  [48, 'DNSKEY'],
  [50, 'NSEC3'],
  [51, 'NSEC3PARAM'],
  [52, 'TLSA'],
  [53, 'SMIMEA'],
  [61, 'OPENPGPKEY'],
  [64, 'SVCB'],
  [65, 'HTTPS'],
  [99, 'SPF'],
  [249, 'TKEY'],
  [250, 'TSIG'],
  [251, 'IXFR'],
  [252, 'AXFR'],
  [253, 'MAILB'],
  [254, 'MAILA'],
  [255, 'ANY'],
  [256, 'URI'],
  [257, 'CAA'],
]);

const NUMBERS: ReadonlyMap<string, number> = new Map([...NAMES].map(([number, name]) => [name, number]));

/** The types that the server itself treats apart. */
export const TYPE = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  NAPTR: 35,
  OPT: 41,
  SVCB: 64,
  HTTPS: 65,
  IXFR: 251,
  AXFR: 252,
  ANY: 255,
  CAA: 257,
} as const;

/** The class Internet (RFC 1035 section 3.2.4). */
export const CLASS_IN = 1;

/** The name of a type; those without one are `TYPEnnn` (RFC 3597 section 5). */
export function nameOfType(type: number): string {
  return NAMES.get(type) ?? `TYPE${type}`;
}

/** The number of a type's name in any case, `TYPEnnn` included; `undefined` when there is no such type. */
export function numberOfType(name: string): number | undefined {
  const upper = name.toUpperCase();
  const known = NUMBERS.get(upper);
  if (known !== undefined) return known;
  const generic = /^TYPE(\d{1,5})$/.exec(upper);
  const number = Number(generic?.[1]);
  return generic !== null && number <= 65535 ? number : undefined;
}

/** Whether records of the type can exist: questions' own types and those of the transport cannot (RFC 6895 section 3.1). */
export function isDataType(type: number): boolean {
  return type !== 0 && type !== TYPE.OPT && (type < 128 || type > 255);
}
