/** snmpTrapEnterprise.0 */
export const SNMP_TRAP_ENTERPRISE = '1.3.6.1.6.3.1.1.4.3.0';
/** snmpTraps, the parent of the generic traps. */
export const SNMP_TRAPS = '1.3.6.1.6.3.1.1.5';
/** generic-trap of traps that are none of the generic ones. */
export const ENTERPRISE_SPECIFIC = 6;

/** How SNMPv1 names a trap. */
export interface Version1Name {
  readonly enterprise: string;
  readonly generic: number;
  readonly specific: number;
}

/** RFC 3584 section 3.2: the name in SNMPv1 of a snmpTrapOID. */
export function nameInVersion1(oid: string): Version1Name {
  const generic = /^1\.3\.6\.1\.6\.3\.1\.1\.5\.([1-6])$/.exec(oid)?.[1];
  if (generic !== undefined) return { enterprise: SNMP_TRAPS, generic: Number(generic) - 1, specific: 0 };
  const dot = oid.lastIndexOf('.');
  const parent = oid.slice(0, dot);
  return {
    enterprise:
      parent.endsWith('.0') && parent.indexOf('.') < parent.length - 2 ? parent.slice(0, -2) : parent,
    generic: ENTERPRISE_SPECIFIC,
    specific: Number(oid.slice(dot + 1)),
  };
}

/** RFC 3584 section 3.1: the snmpTrapOID of a trap as SNMPv1 names it. */
export function trapOidOf({ enterprise, generic, specific }: Version1Name): string {
  return generic === ENTERPRISE_SPECIFIC ? `${enterprise}.0.${specific}` : `${SNMP_TRAPS}.${generic + 1}`;
}
