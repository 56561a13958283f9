import { pointTo, type CompileTools, type ValueOf, type ValueTemplate } from '@backlot/core/plugin';
import { parseOid } from '../oid.js';
import { defaultType, parseValue, tagOf, type TypeName } from '../parse-value.js';
import type { TrapSchema } from '../schemas.js';
import { TAG } from '../wire/tags.js';
import {
  ENTERPRISE_SPECIFIC,
  nameInVersion1,
  SNMP_TRAPS,
  trapOidOf,
  type Version1Name,
} from './trap-oids.js';

/** A trap as it is given. */
export type Trap = ValueOf<typeof TrapSchema>;

/** A compiled trap. */
export interface CompiledTrap {
  readonly host: string;
  readonly port: number;
  readonly version: '1' | '2c' | '3';
  /** What snmpTrapOID says. */
  readonly oid: string;
  readonly version1: Version1Name;
  /** For snmpTrapEnterprise, where it is given. */
  readonly enterprise: string | undefined;
  readonly bindings: readonly TrapBinding[];
}

/** An OID and what it carries. */
export interface TrapBinding {
  readonly oid: string;
  readonly type: TypeName;
  readonly value: ValueTemplate;
}

/** Compiles a trap; what it cannot be sent as is noted here. */
export function compileTrap(trap: Trap, tools: CompileTools): CompiledTrap {
  const version =
    trap.version === undefined ? '2c' : (trap.version.replace('v', '') as CompiledTrap['version']);
  if (version === '1' && trap.inform === true) {
    tools.problem('/inform', 'must be absent: SNMPv1 has no informs, version 2c and 3 have');
  }
  if (version !== '3' && trap.username !== undefined) {
    tools.problem('/username', `must be absent for version ${version}: only version 3 has users`);
  }
  if (version === '3' && trap.community !== undefined) {
    tools.problem('/community', 'must be absent for version 3, which has users; name one as username');
  }
  const target = tools.attempt('/target', { host: '', port: 0 }, () => parseTarget(trap.target));
  const names = compileNames(trap, tools);
  const bindings = (trap.bindings ?? []).map((binding, place) =>
    compileBinding(binding, version, pointTo('/bindings', place), tools),
  );
  return { ...target, version, ...names, bindings };
}

function compileNames(
  { oid: givenOid, enterprise: givenEnterprise, generic, specific }: Trap,
  tools: CompileTools,
): Pick<CompiledTrap, 'oid' | 'version1' | 'enterprise'> {
  const enterprise =
    givenEnterprise === undefined
      ? undefined
      : tools.attempt('/enterprise', SNMP_TRAPS, () => parseOid(givenEnterprise));
  if (specific !== undefined && generic !== undefined && generic !== ENTERPRISE_SPECIFIC && specific !== 0) {
    tools.problem(
      '/specific',
      `must be 0 or absent beside generic ${generic}; only generic 6 has specific traps`,
    );
  }
  if (givenOid !== undefined) {
    const oid = tools.attempt('/oid', '0.0', () => parseOid(givenOid));
    const derived = nameInVersion1(oid);
    const version1 = {
      enterprise: enterprise ?? derived.enterprise,
      generic: generic ?? (specific === undefined ? derived.generic : ENTERPRISE_SPECIFIC),
      specific: specific ?? derived.specific,
    };
    if (version1.specific > 2 ** 31 - 1) {
      tools.problem(
        '/oid',
        `must end with a number up to 2147483647, which SNMPv1 can carry, got "${givenOid}"`,
      );
    }
    return { oid, version1, enterprise };
  }
  const kind = generic ?? ENTERPRISE_SPECIFIC;
  if (kind === ENTERPRISE_SPECIFIC && (enterprise === undefined || specific === undefined)) {
    tools.problem('/oid', 'is missing; or give generic 0 to 5, or enterprise and specific');
  }
  const version1 = { enterprise: enterprise ?? SNMP_TRAPS, generic: kind, specific: specific ?? 0 };
  return { oid: trapOidOf(version1), version1, enterprise };
}

function compileBinding(
  { oid: givenOid, type: givenType, value: given }: NonNullable<Trap['bindings']>[number],
  version: CompiledTrap['version'],
  at: string,
  tools: CompileTools,
): TrapBinding {
  const type = givenType ?? defaultType(given);
  const value = tools.value(given ?? null, `${at}/value`);
  if (value.constant) tools.attempt(`${at}/value`, undefined, () => parseValue(type, given));
  if (version === '1' && tagOf(type) === TAG.counter64) {
    tools.problem(`${at}/type`, 'must not be counter64 for version 1, which has none');
  }
  return { oid: tools.attempt(`${at}/oid`, '0.0', () => parseOid(givenOid)), type, value };
}

/** `host:port`, an IPv6 address in brackets. */
function parseTarget(target: string): { readonly host: string; readonly port: number } {
  const [, six, name, digits] = /^(?:\[([\da-f:.%\w]+)\]|([^\s:[\]/@]+)):(\d{1,5})$/i.exec(target) ?? [];
  const host = six ?? name;
  const port = Number(digits);
  if (host !== undefined && port >= 1 && port <= 65_535) return { host, port };
  throw new Error(
    `must be host:port such as localhost:1162 or [::1]:1162, the port 1 to 65535, got ${JSON.stringify(target)}`,
  );
}
