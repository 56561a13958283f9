import { orderKey, parentOf } from './oid.js';
import { parseValue, type GivenValue, type TypeName } from './parse-value.js';
import { encodeBinding, type Binding } from './wire/value.js';

const SYSTEM = '1.3.6.1.2.1.1';
/** Under the enterprise number that the engine ID has when none is configured. */
const OBJECT_ID = '1.3.6.1.4.1.47491';
/** Applications and end-to-end, as hosts have it (RFC 3418): 2^(7-1) and 2^(4-1). */
const SERVICES = 72;
/** What sysORTable names: the parts of the MIB that an agent has by its very protocol. */
const RESOURCES = [
  ['1.3.6.1.6.3.1', 'The MIB module for SNMPv2 entities'],
  ['1.3.6.1.6.3.11.3.1.1', 'The MIB for Message Processing and Dispatching.'],
  ['1.3.6.1.6.3.15.2.1.1', 'The management information definitions for the SNMP User-based Security Model.'],
] as const;

/** An instance of the group that no mock stands for. */
export interface SystemInstance {
  readonly oid: string;
  /** See {@link orderKey}. */
  readonly order: string;
  read(): Binding;
}

/** What every agent tells about itself (RFC 3418, section 2), except for the OIDs that mocks speak of. */
export class SystemGroup {
  readonly #instances: readonly SystemInstance[];
  readonly #byOid: ReadonlyMap<string, SystemInstance>;
  readonly #objects: ReadonlySet<string | undefined>;
  readonly #isMocked: (oid: string) => boolean;

  /**
   * @param now - milliseconds, by which sysUpTime counts from now on
   * @param isMocked - whether there is a mock for an OID, even one that does not match at the moment
   */
  constructor(now: () => number, isMocked: (oid: string) => boolean) {
    this.#instances = makeInstances(now);
    this.#byOid = new Map(this.#instances.map((each) => [each.oid, each]));
    this.#objects = new Set(this.#instances.map(({ oid }) => parentOf(oid)));
    this.#isMocked = isMocked;
  }

  get(oid: string): SystemInstance | undefined {
    const found = this.#byOid.get(oid);
    return found !== undefined && !this.#isMocked(oid) ? found : undefined;
  }

  /** The first instance behind an OID. @param before - it must come before this OID, where that is given */
  next(oid: string, before?: string): SystemInstance | undefined {
    const after = orderKey(oid);
    const found = this.#instances.find((each) => each.order > after && !this.#isMocked(each.oid));
    return found !== undefined && (before === undefined || found.order < orderKey(before))
      ? found
      : undefined;
  }

  /** Whether an OID lies in an object of the group, so that only the instance is missing. */
  isInObject(oid: string): boolean {
    for (let part: string | undefined = oid; part !== undefined; part = parentOf(part))
      if (this.#objects.has(part)) return true;
    return false;
  }
}

function makeInstances(now: () => number): SystemInstance[] {
  const start = now();
  const upTime = (): number => Math.floor((now() - start) / 10) % 2 ** 32;
  const instances = [
    fixed('1.0', 'string', 'Backlot'),
    fixed('2.0', 'objectidentifier', OBJECT_ID),
    instance('3.0', () => encodeBinding(`${SYSTEM}.3.0`, parseValue('timeticks', upTime()))),
    fixed('4.0', 'string', ''),
    fixed('5.0', 'string', 'backlot'),
    fixed('6.0', 'string', ''),
    fixed('7.0', 'integer', SERVICES),
    fixed('8.0', 'timeticks', 0),
  ];
  RESOURCES.forEach(([oid], index) => instances.push(fixed(`9.1.2.${index + 1}`, 'objectidentifier', oid)));
  RESOURCES.forEach(([, text], index) => instances.push(fixed(`9.1.3.${index + 1}`, 'string', text)));
  RESOURCES.forEach((_, index) => instances.push(fixed(`9.1.4.${index + 1}`, 'timeticks', 0)));
  return instances;
}

function fixed(place: string, type: TypeName, given: GivenValue): SystemInstance {
  const binding = encodeBinding(`${SYSTEM}.${place}`, parseValue(type, given));
  return instance(place, () => binding);
}

function instance(place: string, read: () => Binding): SystemInstance {
  const oid = `${SYSTEM}.${place}`;
  return { oid, order: orderKey(oid), read };
}
